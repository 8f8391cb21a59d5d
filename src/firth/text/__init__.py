"""From bytes to tokens: sources, cleaners, tokenizers, vocabularies."""
