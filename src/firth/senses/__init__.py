"""Word senses: learnt from counts, induced in sentences, and as vectors of a space."""

from firth.senses.inducing import Induction
from firth.senses.inventory import read_sense_table
from firth.senses.reading import Reading, Sense
from firth.senses.senses import Senses
from firth.senses.tagging import Tagger, tag

__all__ = ["Induction", "Reading", "Sense", "Senses", "Tagger", "read_sense_table", "tag"]
