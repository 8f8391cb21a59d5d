"""The methods: each picks a context, an association and a low-rank model."""

from firth.methods.eigenword import SVDNS, EigenWord
from firth.methods.spectral import (
    CCA,
    PPMI,
    SPPMI,
    SVD,
    Default,
    Log,
    Method,
    Regression,
    Spectral,
    Sqrt,
)

METHODS: dict[str, type[Method]] = {
    "default": Default,
    "svd": SVD,
    "sqrt": Sqrt,
    "log": Log,
    "reg": Regression,
    "ppmi": PPMI,
    "sppmi": SPPMI,
    "cca": CCA,
    "svdns": SVDNS,
    "eigenword": EigenWord,
}

__all__ = [
    "CCA",
    "METHODS",
    "PPMI",
    "SPPMI",
    "SVD",
    "SVDNS",
    "Default",
    "EigenWord",
    "Log",
    "Method",
    "Regression",
    "Spectral",
    "Sqrt",
]
