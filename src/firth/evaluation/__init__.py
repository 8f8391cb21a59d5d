"""Tests of word vectors, with coverage, intervals and significance beside every number."""

from firth.evaluation.analogy import Analogy, Question
from firth.evaluation.categorization import Categorization
from firth.evaluation.finding import DataFolders, tasks_of
from firth.evaluation.protocol import Outcome, Rules, Task
from firth.evaluation.report import Report, Row
from firth.evaluation.running import evaluate, open_space, outcomes
from firth.evaluation.similarity import Similarity
from firth.evaluation.synonyms import Choice, Synonyms

__all__ = [
    "Analogy",
    "Categorization",
    "Choice",
    "DataFolders",
    "Outcome",
    "Question",
    "Report",
    "Row",
    "Rules",
    "Similarity",
    "Synonyms",
    "Task",
    "evaluate",
    "open_space",
    "outcomes",
    "tasks_of",
]
