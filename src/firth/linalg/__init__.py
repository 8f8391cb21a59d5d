"""Linear algebra for sparse associations: products, largest singular values and eigenvalues."""

from firth.linalg.als import ALS, als
from firth.linalg.eigh import eigh
from firth.linalg.lanczos import Eigh
from firth.linalg.left import Left, left_vectors
from firth.linalg.products import Operator
from firth.linalg.svd import SVD, svd

__all__ = ["ALS", "SVD", "Eigh", "Left", "Operator", "als", "eigh", "left_vectors", "svd"]
