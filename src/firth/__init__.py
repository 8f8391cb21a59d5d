"""Word vectors, word clusters and word senses from co-occurrence counts."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from firth.clusters import BrownClusters, Hierarchy, SpectralClusters
    from firth.counts.counting import count
    from firth.counts.interchange import read_glove, write_glove
    from firth.counts.ledger import Ledger
    from firth.counts.matrix import Counts
    from firth.counts.merging import merge
    from firth.counts.recipe import Recipe
    from firth.counts.stated import UNKNOWN, Mixed
    from firth.errors import BudgetError, CorpusError, FirthError, StoreError, UnknownWord
    from firth.evaluation.protocol import Rules
    from firth.evaluation.report import Report
    from firth.evaluation.running import evaluate
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
    from firth.progress import Event
    from firth.resources import Resources
    from firth.space.space import Space
    from firth.stores.registry import load
    from firth.text.sources import Corpus
    from firth.text.vocabulary import Vocabulary

# Where each name lives; it is imported when it is first used, so that a command starts quickly.
_HOMES = {
    "firth.clusters": ("BrownClusters", "Hierarchy", "SpectralClusters"),
    "firth.counts.counting": ("count",),
    "firth.counts.interchange": ("read_glove", "write_glove"),
    "firth.counts.ledger": ("Ledger",),
    "firth.counts.matrix": ("Counts",),
    "firth.counts.merging": ("merge",),
    "firth.counts.recipe": ("Recipe",),
    "firth.counts.stated": ("UNKNOWN", "Mixed"),
    "firth.errors": ("BudgetError", "CorpusError", "FirthError", "StoreError", "UnknownWord"),
    "firth.evaluation.protocol": ("Rules",),
    "firth.evaluation.report": ("Report",),
    "firth.evaluation.running": ("evaluate",),
    "firth.methods": (
        "CCA", "PPMI", "SPPMI", "SVD", "SVDNS", "Default", "EigenWord", "Log", "Regression",
        "Spectral", "Sqrt",
    ),
    "firth.progress": ("Event",),
    "firth.resources": ("Resources",),
    "firth.space.space": ("Space",),
    "firth.stores.registry": ("load",),
    "firth.text.sources": ("Corpus",),
    "firth.text.vocabulary": ("Vocabulary",),
}  # fmt: skip
_HOME = {name: home for home, names in _HOMES.items() for name in names}

__all__ = [
    "CCA",
    "PPMI",
    "SPPMI",
    "SVD",
    "SVDNS",
    "UNKNOWN",
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
    "Mixed",
    "Recipe",
    "Regression",
    "Report",
    "Resources",
    "Rules",
    "Space",
    "Spectral",
    "SpectralClusters",
    "Sqrt",
    "StoreError",
    "UnknownWord",
    "Vocabulary",
    "count",
    "evaluate",
    "load",
    "merge",
    "read_glove",
    "write_glove",
]


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used."""
    if name not in _HOME:
        raise AttributeError(f"module 'firth' has no attribute {name!r}")
    value = getattr(import_module(_HOME[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """Name what is public, imported or not."""
    return sorted({*globals(), *__all__})
