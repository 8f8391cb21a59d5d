"""Bytes to tokens: sources, cleaners, tokenizers, vocabulary."""
