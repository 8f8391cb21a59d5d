"""Named entities: how much word clusters and vectors help a tagger."""

from firth.evaluation.ner.experiment import Row, markdown, run
from firth.evaluation.ner.intervals import Interval, difference_interval, f1_interval
from firth.evaluation.ner.reading import read_conll
from firth.evaluation.ner.spans import (
    SCHEMES,
    Entity,
    EntityScores,
    Score,
    Sentence,
    convert,
    encode,
    entities,
    evaluate_entities,
)
from firth.evaluation.ner.tagger import FittedTagger, Tagger

__all__ = [
    "SCHEMES",
    "Entity",
    "EntityScores",
    "FittedTagger",
    "Interval",
    "Row",
    "Score",
    "Sentence",
    "Tagger",
    "convert",
    "difference_interval",
    "encode",
    "entities",
    "evaluate_entities",
    "f1_interval",
    "markdown",
    "read_conll",
    "run",
]
