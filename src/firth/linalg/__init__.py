"""Linear algebra for sparse associations: products, largest singular values and eigenvalues."""

from firth.linalg.eigh import eigh
from firth.linalg.lanczos import Eigh
from firth.linalg.left import Left, left_vectors
from firth.linalg.products import Operator
from firth.linalg.svd import SVD, svd

__all__ = ["SVD", "Eigh", "Left", "Operator", "eigh", "left_vectors", "svd"]
