"""Read and write files of word vectors: word2vec, GloVe, fastText, gensim and others."""

from firth.space.formats.gensim import from_gensim, to_gensim
from firth.space.formats.interchange import FORMATS, read_vectors, write_vectors
from firth.space.formats.sniff import sniff
from firth.space.formats.table import VectorTable

__all__ = [
    "FORMATS",
    "VectorTable",
    "from_gensim",
    "read_vectors",
    "sniff",
    "to_gensim",
    "write_vectors",
]
