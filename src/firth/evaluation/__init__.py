"""Tests of word vectors, with coverage, intervals and significance beside every number."""
