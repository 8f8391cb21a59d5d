"""Tests of word vectors, with coverage, intervals and significance beside every number."""

from typing import Any

from firth.evaluation.analogy import Analogy, Question
from firth.evaluation.api import evaluate
from firth.evaluation.categorization import Categorization
from firth.evaluation.compare import Comparison, Difference
from firth.evaluation.finding import DataFolders, tasks_of
from firth.evaluation.protocol import EvaluationRules, Outcome, Task
from firth.evaluation.report import Report, Row
from firth.evaluation.running import outcomes
from firth.evaluation.similarity import Similarity
from firth.evaluation.sweep_folder import Point
from firth.evaluation.synonyms import Choice, Synonyms
from firth.space.opening import open_space

__all__ = [
    "Analogy",
    "Categorization",
    "Choice",
    "Comparison",
    "DataFolders",
    "Difference",
    "EvaluationRules",
    "Outcome",
    "Point",
    "Question",
    "Report",
    "Row",
    "Similarity",
    "Synonyms",
    "Task",
    "evaluate",
    "open_space",
    "outcomes",
    "tasks_of",
]


def __getattr__(name: str) -> Any:
    """Return a name that has changed, with a warning."""
    if name == "Rules":
        import warnings

        warnings.warn("firth.evaluation.Rules is now called EvaluationRules", DeprecationWarning, 2)
        return EvaluationRules
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
