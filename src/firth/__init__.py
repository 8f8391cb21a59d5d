"""Word vectors, word clusters and word senses from co-occurrence counts."""

from firth.counts.counting import count
from firth.counts.interchange import read_glove, write_glove
from firth.counts.matrix import Counts
from firth.counts.merging import merge
from firth.counts.recipe import Ledger, Recipe
from firth.errors import BudgetError, CorpusError, FirthError, StoreError
from firth.progress import Event
from firth.text.sources import Corpus
from firth.text.vocabulary import Vocabulary

__all__ = [
    "BudgetError",
    "Corpus",
    "CorpusError",
    "Counts",
    "Event",
    "FirthError",
    "Ledger",
    "Recipe",
    "StoreError",
    "Vocabulary",
    "count",
    "merge",
    "read_glove",
    "write_glove",
]
