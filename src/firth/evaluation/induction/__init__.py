"""Tasks of word sense induction: their files, their measures, trivial answers."""

from firth.evaluation.induction.baselines import baseline
from firth.evaluation.induction.contextual import (
    ContextualPair,
    ContextualScores,
    contextual_scores,
    read_scws,
)
from firth.evaluation.induction.graded import GradedScores, graded_scores
from firth.evaluation.induction.instances import Instance, read_instances
from firth.evaluation.induction.keys import read_key, write_key
from firth.evaluation.induction.partition import PartitionScores, partition_scores

__all__ = [
    "ContextualPair",
    "ContextualScores",
    "GradedScores",
    "Instance",
    "PartitionScores",
    "baseline",
    "contextual_scores",
    "graded_scores",
    "partition_scores",
    "read_instances",
    "read_key",
    "read_scws",
    "write_key",
]
