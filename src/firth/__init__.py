"""Word vectors, word clusters and word senses from co-occurrence counts."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from firth import clusters, evaluation, linalg, methods, progress, senses
    from firth.clusters import Hierarchy
    from firth.counts.counting import count
    from firth.counts.interchange import read_glove, write_glove
    from firth.counts.ledger import Ledger
    from firth.counts.matrix import Counts
    from firth.counts.merging import merge
    from firth.counts.recipe import Recipe
    from firth.counts.stated import UNKNOWN, Mixed
    from firth.errors import BudgetError, CorpusError, FirthError, StoreError, UnknownWord
    from firth.evaluation.api import compare, evaluate, sweep
    from firth.evaluation.compare import Comparison
    from firth.evaluation.protocol import EvaluationRules
    from firth.evaluation.report import Report
    from firth.resources import Resources
    from firth.senses import Senses
    from firth.space.placing import Placed
    from firth.space.space import Space
    from firth.space.vectors import read_vectors, write_vectors
    from firth.stores.registry import load
    from firth.text.sources import Corpus
    from firth.text.vocabulary import Vocabulary

# Where each name lives; it is imported when it is first used, so that a command starts quickly.
_HOMES = {
    "firth.clusters": ("Hierarchy",),
    "firth.counts.counting": ("count",),
    "firth.counts.interchange": ("read_glove", "write_glove"),
    "firth.counts.ledger": ("Ledger",),
    "firth.counts.matrix": ("Counts",),
    "firth.counts.merging": ("merge",),
    "firth.counts.recipe": ("Recipe",),
    "firth.counts.stated": ("UNKNOWN", "Mixed"),
    "firth.errors": ("BudgetError", "CorpusError", "FirthError", "StoreError", "UnknownWord"),
    "firth.evaluation.api": ("compare", "evaluate", "sweep"),
    "firth.evaluation.compare": ("Comparison",),
    "firth.evaluation.protocol": ("EvaluationRules",),
    "firth.evaluation.report": ("Report",),
    "firth.resources": ("Resources",),
    "firth.senses": ("Senses",),
    "firth.space.placing": ("Placed",),
    "firth.space.space": ("Space",),
    "firth.space.vectors": ("read_vectors", "write_vectors"),
    "firth.stores.registry": ("load",),
    "firth.text.sources": ("Corpus",),
    "firth.text.vocabulary": ("Vocabulary",),
}
_HOME = {name: home for home, names in _HOMES.items() for name in names}
_MODULES = ("clusters", "evaluation", "linalg", "methods", "progress", "senses")

# Names that stood here before; they work for one more version, with a warning.
_FORMER = {
    **{
        name: f"firth.methods.{name}"
        for name in (
            *("CCA", "PPMI", "SPPMI", "SVD", "SVDNS", "EigenWord", "Regression", "Spectral"),
        )
    },
    "Default": "firth.methods.LogRatio",
    "Log": "firth.methods.LogCounts",
    "Sqrt": "firth.methods.SqrtCounts",
    "BrownClusters": "firth.clusters.BrownClusters",
    "SpectralClusters": "firth.clusters.SpectralClusters",
    "Event": "firth.progress.Event",
    "Rules": "firth.evaluation.EvaluationRules",
}

__all__ = [
    "UNKNOWN",
    "BudgetError",
    "Comparison",
    "Corpus",
    "CorpusError",
    "Counts",
    "EvaluationRules",
    "FirthError",
    "Hierarchy",
    "Ledger",
    "Mixed",
    "Placed",
    "Recipe",
    "Report",
    "Resources",
    "Senses",
    "Space",
    "StoreError",
    "UnknownWord",
    "Vocabulary",
    "clusters",
    "compare",
    "count",
    "evaluate",
    "evaluation",
    "linalg",
    "load",
    "merge",
    "methods",
    "progress",
    "read_glove",
    "read_vectors",
    "senses",
    "sweep",
    "write_glove",
    "write_vectors",
]


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used."""
    if name in _FORMER:
        import warnings

        now = _FORMER[name]
        warnings.warn(f"firth.{name} is deprecated: use {now}", DeprecationWarning, 2)
        home, _, attribute = now.rpartition(".")
        return getattr(import_module(home), attribute)
    if name in _MODULES:
        return import_module(f"firth.{name}")
    if name not in _HOME:
        raise AttributeError(f"module 'firth' has no attribute {name!r}")
    value = getattr(import_module(_HOME[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """Name what is public, imported or not."""
    return sorted({*globals(), *__all__})
