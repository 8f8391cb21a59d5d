"""Slow, obvious twins of the kernels of word senses."""

import numpy as np


def within(dense, kept):
    """The rows and columns of a matrix that are kept."""
    size = len(kept)
    return np.array([[float(dense[i, j]) for j in kept] for i in kept]).reshape(size, size)
