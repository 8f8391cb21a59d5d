"""Linear algebra for sparse associations: products, singular values, eigenvalues, many views."""

from firth.linalg.als import ALS, als
from firth.linalg.eigh import eigh
from firth.linalg.gcca import gcca
from firth.linalg.gcca_problem import GCCA
from firth.linalg.lanczos import Eigh
from firth.linalg.left import Left, left_vectors
from firth.linalg.products import Operator
from firth.linalg.svd import SVD, svd

__all__ = [
    "ALS",
    "GCCA",
    "SVD",
    "Eigh",
    "Left",
    "Operator",
    "als",
    "eigh",
    "gcca",
    "left_vectors",
    "svd",
]
