"""Tokens to counts: counting, the store, merging, views."""
