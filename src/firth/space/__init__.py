"""Words and vectors: queries, neighbours, explanations, files."""
