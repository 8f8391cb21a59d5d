"""The papers of the methods: a short form for lists, and the full citation."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Paper:
    """A publication.

    Attributes
    ----------
    short
        Authors and year.
    citation
        Authors, year and title.
    """

    short: str
    citation: str


PAPERS = {
    "A": Paper(
        "Stratos, Collins and Hsu 2015",
        "K. Stratos, M. Collins and D. Hsu, 2015, Model-based Word Embeddings from Decompositions "
        "of Count Matrices",
    ),
    "B": Paper(
        "Stratos and others 2014",
        "K. Stratos, D. Kim, M. Collins and D. Hsu, 2014, A Spectral Algorithm for Learning "
        "Class-Based n-gram Models of Natural Language",
    ),
    "C": Paper(
        "Generalized Low Rank Models",
        "Interpreting Word Embeddings with Generalized Low Rank Models",
    ),
    "D": Paper(
        "Rastogi, Van Durme and Arora 2015",
        "P. Rastogi, B. Van Durme and R. Arora, 2015, Multiview LSA: Representation Learning via "
        "Generalized CCA",
    ),
    "E": Paper(
        "thesis on UBE, KUBWE and EigenWord",
        "The thesis on UBE, KUBWE, EigenWord and word senses",
    ),
    "Levy 2014": Paper(
        "Levy and Goldberg 2014",
        "O. Levy and Y. Goldberg, 2014, Neural Word Embedding as Implicit Matrix Factorization",
    ),
    "Brown 1992": Paper(
        "Brown and others 1992",
        "P. Brown, P. deSouza, R. Mercer, V. Della Pietra and J. Lai, 1992, Class-Based n-gram "
        "Models of Natural Language",
    ),
}


def paper_of(key: str) -> Paper:
    """Return the paper of a key; any other text is returned as a citation.

    Examples
    --------
    >>> paper_of("D").short
    'Rastogi, Van Durme and Arora 2015'
    >>> paper_of("A. Author, 2030, A title").short
    'A. Author, 2030, A title'
    """
    return PAPERS.get(key) or Paper(key, key)
