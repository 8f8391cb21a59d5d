"""Word vectors, word clusters and word senses from co-occurrence counts."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from firth.counts.counting import count
from firth.counts.interchange import read_glove, write_glove
from firth.counts.matrix import Counts
from firth.counts.merging import merge
from firth.counts.recipe import Ledger, Recipe
from firth.errors import BudgetError, CorpusError, FirthError, StoreError, UnknownWord
from firth.progress import Event
from firth.text.sources import Corpus
from firth.text.vocabulary import Vocabulary

if TYPE_CHECKING:
    from firth.clusters import BrownClusters, Hierarchy, SpectralClusters
    from firth.methods import (
        CCA,
        PPMI,
        SPPMI,
        SVD,
        SVDNS,
        Default,
        EigenWord,
        Log,
        Regression,
        Spectral,
        Sqrt,
    )
    from firth.space.space import Space

__all__ = [
    "CCA",
    "PPMI",
    "SPPMI",
    "SVD",
    "SVDNS",
    "BrownClusters",
    "BudgetError",
    "Corpus",
    "CorpusError",
    "Counts",
    "Default",
    "EigenWord",
    "Event",
    "FirthError",
    "Hierarchy",
    "Ledger",
    "Log",
    "Recipe",
    "Regression",
    "Space",
    "Spectral",
    "SpectralClusters",
    "Sqrt",
    "StoreError",
    "UnknownWord",
    "Vocabulary",
    "count",
    "merge",
    "read_glove",
    "write_glove",
]


def __getattr__(name: str) -> Any:
    """Import what is not needed for counting when it is first used."""
    if name == "Space":
        return import_module("firth.space.space").Space
    if name in {"BrownClusters", "Hierarchy", "SpectralClusters"}:
        return getattr(import_module("firth.clusters"), name)
    if name in __all__:
        return getattr(import_module("firth.methods"), name)
    raise AttributeError(f"module 'firth' has no attribute {name!r}")
