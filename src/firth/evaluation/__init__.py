"""Evaluation: what vectors, clusters and senses are worth in a task."""
