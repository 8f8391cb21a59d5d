"""The tests that firth knows by name: what they are, who made them, where they come from.

A checksum is given only where the bytes at the address are known; otherwise it is empty, and
`firth data get` records the checksum of the first download.
"""

from __future__ import annotations

from dataclasses import dataclass

from firth.errors import FirthError

# Files of the original archives and of common conversions, each with the parser of its layout. A
# name that other files share is given with its folder; the name of a folder ends in a slash.
Sources = tuple[tuple[tuple[str, ...], str], ...]
# A collection of conversions, whose files in other languages have the same names.
ENGLISH = "monolingual/en/"
COLLECTION = "https://raw.githubusercontent.com/mfaruqui/eval-word-vectors/master/data/word-sim/"


@dataclass(frozen=True, kw_only=True)
class Dataset:
    """A test.

    Attributes
    ----------
    name, task
        The name of the test, and its task.
    items
        The number of items of the whole set. For BATS these are all ordered pairs of 50 lines of
        40 files; its paper says 99,200.
    sources
        Names of files, and the layout of each.
    licence, citation, page
        Its licence, its paper, and the page that describes it.
    download
        The address of the file or archive; empty if it is not freely offered or not known, so that
        users bring the file.
    sha256
        The checksum of the download, or empty.
    halves
        The stem of the files of paper A's halves, if it used the set.
    """

    name: str
    task: str
    items: int
    sources: Sources
    citation: str
    page: str
    licence: str = "none stated; for research"
    download: str = ""
    sha256: str = ""
    halves: str = ""

    @property
    def format(self) -> str:
        """The layouts in which it can be read."""
        return "; ".join(dict.fromkeys(layout for _, layout in self.sources))


def _similarity(
    name: str, items: int, citation: str, page: str, *sources: tuple[str, str], **more: str
) -> Dataset:
    own: Sources = tuple((tuple(files.split(" + ")), layout) for files, layout in sources)
    # A download is kept in a folder of the set's name.
    own += tuple(
        ((files.replace(ENGLISH, f"{name}/"),), layout)
        for files, layout in sources
        if files.startswith(ENGLISH)
    )
    named = ((f"{name}.tsv",), "pairs"), ((f"{ENGLISH}{name}.csv",), "pairs")
    return Dataset(
        name=name, task="similarity", items=items, citation=citation, page=page,
        sources=(*named, *own, ((f"{name}.csv",), "pairs")), **more,
    )  # fmt: skip


_AGIRRE = (
    "E. Agirre, E. Alfonseca, K. Hall, J. Kravalova, M. Paşca and A. Soroa, 2009, A study on "
    "similarity and relatedness using distributional and WordNet-based approaches"
)
_AGIRRE_PAGE = "http://alfonseca.org/eng/research/wordsim353.html"
_AGIRRE_FILE = "http://alfonseca.org/pubs/ws353simrel.tar.gz"

_SIMILARITY = (
    _similarity(
        "ws353", 353,
        "L. Finkelstein et al., 2002, Placing search in context: the concept revisited",
        "https://gabrilovich.com/resources/data/wordsim353/wordsim353.html",
        ("ws353/combined.tab", "pairs"), ("ws353/combined.csv", "pairs"),
        ("wordsim353/combined.tab", "pairs"), ("wordsim353/combined.csv", "pairs"),
        ("wordsim353.tsv", "pairs"),
        ("EN-WS-353-ALL.txt", "pairs"), ("EN-WS353.txt", "pairs"),
        licence="CC BY 4.0", halves="wordsim353",
        download="https://gabrilovich.com/resources/data/wordsim353/wordsim353.zip",
    ),
    _similarity(
        "ws353-sim", 203, _AGIRRE, _AGIRRE_PAGE,
        ("wordsim_similarity_goldstandard.txt", "pairs"), ("EN-WS-353-SIM.txt", "pairs"),
        ("EN-WSS353.txt", "pairs"), (f"{ENGLISH}wordsim353-sim.csv", "pairs"),
        licence="CC BY 4.0", download=_AGIRRE_FILE,
    ),
    _similarity(
        "ws353-rel", 252, _AGIRRE, _AGIRRE_PAGE,
        ("wordsim_relatedness_goldstandard.txt", "pairs"), ("EN-WS-353-REL.txt", "pairs"),
        ("EN-WSR353.txt", "pairs"), (f"{ENGLISH}wordsim353-rel.csv", "pairs"),
        licence="CC BY 4.0", download=_AGIRRE_FILE,
    ),
    _similarity(
        "men", 3000, "E. Bruni, N. K. Tran and M. Baroni, 2014, Multimodal distributional "
        "semantics",
        "https://staff.fnwi.uva.nl/e.bruni/MEN",
        ("MEN_dataset_natural_form_full", "pairs"),
        ("MEN_dataset_lemma_form_full", "tagged pairs"), ("EN-MEN-TR-3k.txt", "pairs"),
        ("EN-MEN-LEM.txt", "tagged pairs"),
        licence="CC BY 2.0", halves="men",
        download="https://staff.fnwi.uva.nl/e.bruni/resources/MEN.tar.gz",
    ),
    _similarity(
        "mturk287", 287,
        "K. Radinsky, E. Agichtein, E. Gabrilovich and S. Markovitch, 2011, A word at a time",
        "http://www.kiraradinsky.com/datasets", ("Mtruk.csv", "pairs"),
        ("EN-MTurk-287.txt", "pairs"), ("EN-TRUK.txt", "pairs"),
        (f"{ENGLISH}mturk-287.csv", "pairs"), download="http://www.kiraradinsky.com/files/Mtruk.csv",
    ),
    _similarity(
        "mturk771", 771,
        "G. Halawi, G. Dror, E. Gabrilovich and Y. Koren, 2012, Large-scale learning of word "
        "relatedness with constraints",
        "http://www2.mta.ac.il/~gideon/mturk771.html", ("MTURK-771.csv", "pairs"),
        ("EN-MTurk-771.txt", "pairs"), (f"{ENGLISH}mturk-771.csv", "pairs"),
        download=f"{COLLECTION}EN-MTurk-771.txt",
    ),
    _similarity(
        "simlex999", 999,
        "F. Hill, R. Reichart and A. Korhonen, 2015, SimLex-999: evaluating semantic models with "
        "(genuine) similarity estimation",
        "https://fh295.github.io/simlex.html", ("SimLex-999.txt", "pairs, score in column 4"),
        ("EN-SIMLEX-999.txt", "pairs"), ("EN-SIM999.txt", "pairs, score in column 4"),
        download="https://fh295.github.io/SimLex-999.zip",
    ),
    _similarity(
        "simverb3500", 3500,
        "D. Gerz, I. Vulić, F. Hill, R. Reichart and A. Korhonen, 2016, SimVerb-3500",
        "http://people.ds.cam.ac.uk/dsg40/simverb.html",
        ("SimVerb-3500.txt", "pairs, score in column 4"), ("EN-SimVerb-3500.txt", "pairs"),
        (f"{ENGLISH}simverb-3500.csv", "pairs"),
        download="http://people.ds.cam.ac.uk/dsg40/paper/simverb/simverb-3500-data.zip",
    ),
    _similarity(
        "rw", 2034,
        "M.-T. Luong, R. Socher and C. D. Manning, 2013, Better word representations with "
        "recursive neural networks for morphology",
        "https://nlp.stanford.edu/~lmthang/morphoNLM/", ("rw.txt", "pairs"),
        ("EN-RW-STANFORD.txt", "pairs"), ("EN-RW.txt", "pairs"), halves="rw",
        download="https://nlp.stanford.edu/~lmthang/morphoNLM/rw.zip",
    ),
    _similarity(
        "rg65", 65,
        "H. Rubenstein and J. B. Goodenough, 1965, Contextual correlates of synonymy",
        "https://doi.org/10.1145/365628.365657", ("EN-RG-65.txt", "pairs"), ("RG65.txt", "pairs"),
        (f"{ENGLISH}rg-65.csv", "pairs"),
        download=f"{COLLECTION}EN-RG-65.txt",
    ),
    _similarity(
        "mc30", 30,
        "G. A. Miller and W. G. Charles, 1991, Contextual correlates of semantic similarity",
        "https://doi.org/10.1080/01690969108406936", ("EN-MC-30.txt", "pairs"),
        ("MC30.txt", "pairs"), (f"{ENGLISH}mc-30.csv", "pairs"),
        download=f"{COLLECTION}EN-MC-30.txt",
    ),
    _similarity(
        "yp130", 130,
        "D. Yang and D. M. W. Powers, 2006, Verb similarity on the taxonomy of WordNet",
        "https://github.com/mfaruqui/eval-word-vectors", ("EN-YP-130.txt", "pairs"),
        ("yp-130.txt", "pairs"), (f"{ENGLISH}yp-130.csv", "pairs"),
        download=f"{COLLECTION}EN-YP-130.txt",
    ),
    _similarity(
        "verb143", 144,
        "S. Baker, R. Reichart and A. Korhonen, 2014, An unsupervised model for instance level "
        "subcategorization acquisition",
        "https://github.com/mfaruqui/eval-word-vectors", ("EN-VERB-143.txt", "pairs"),
        ("verb_similarity dataset.txt", "pairs, score in column 13"),
        (f"{ENGLISH}verb-143.csv", "pairs"),
        download=f"{COLLECTION}EN-VERB-143.txt",
    ),
    _similarity(
        "scws", 2003,
        "E. H. Huang, R. Socher, C. D. Manning and A. Y. Ng, 2012, Improving word representations "
        "via global context and multiple word prototypes",
        "https://ai.stanford.edu/~ehhuang/",
        ("SCWS/ratings.txt", "pairs in columns 2 and 4, score in column 8"),
        download="http://www-nlp.stanford.edu/~ehhuang/SCWS.zip",
    ),
    _similarity(
        "semeval17", 500,
        "J. Camacho-Collados, M. T. Pilehvar, N. Collier and R. Navigli, 2017, SemEval-2017 task 2",
        "https://alt.qcri.org/semeval2017/task2/",
        ("en.test.data.txt + en.test.gold.txt", "pairs and scores"),
        download="https://alt.qcri.org/semeval2017/task2/data/uploads/semeval2017-task2.zip",
    ),
)  # fmt: skip

_ANALOGY = (
    Dataset(
        name="google", task="analogy", items=19_544,
        sources=((("questions-words.txt",), "sections"),
                 (("google-questions-words.txt",), "sections"),
                 (("EN-GOOGLE.txt",), "sections"), (("google.tsv",), "labelled questions"),
                 ((f"{ENGLISH}google-analogies.csv",), "labelled questions"),
                 (("google/google-analogies.csv",), "labelled questions")),
        citation="T. Mikolov, K. Chen, G. Corrado and J. Dean, 2013, Efficient estimation of word "
        "representations in vector space",
        page="https://code.google.com/archive/p/word2vec/", licence="Apache-2.0",
        download="http://download.tensorflow.org/data/questions-words.txt",
        # Of a copy whose SHA-1 is the one published for this address, fa92df4b….
        sha256="8c29b3332afc46f3fb8be04cb5297bf96f39aa7131272dff57869b4485b22a36",
        halves="google-mixed",
    ),
    Dataset(
        name="msr", task="analogy", items=8_000,
        sources=((("msr.tsv",), "labelled questions"), (("EN-MSR.txt",), "labelled questions"),
                 ((f"{ENGLISH}msr.csv",), "labelled questions"),
                 (("msr.csv",), "labelled questions"),
                 (("word_relationship.questions", "word_relationship.answers"),
                  "questions and answers")),
        citation="T. Mikolov, W. Yih and G. Zweig, 2013, Linguistic regularities in continuous "
        "space word representations",
        page="https://aclweb.org/aclwiki/Syntactic_Analogies_(State_of_the_art)",
        halves="msr-syntactic",
    ),
    Dataset(
        name="bats", task="analogy", items=98_000,
        sources=((("BATS_3.0/",), "bats"), (("bats/",), "bats")),
        citation="A. Gladkova, A. Drozd and S. Matsuoka, 2016, Analogy-based detection of "
        "morphological and semantic relations with word embeddings",
        page="https://vecto.space/projects/BATS/",
        download="https://vecto-data.s3-us-west-1.amazonaws.com/BATS_3.0.zip",
    ),
)  # fmt: skip

_SYNONYMS = (
    Dataset(
        name="toefl", task="synonyms", items=80,
        sources=((("toefl.tsv",), "choices"), (("toefl.txt",), "choices"),
                 (("toefl.qst", "toefl.ans"), "numbered choices")),
        citation="T. K. Landauer and S. T. Dumais, 1997, A solution to Plato's problem",
        page="https://aclweb.org/aclwiki/TOEFL_Synonym_Questions_(State_of_the_art)",
        licence="not freely offered: ask LSA Support at the University of Colorado, Boulder",
    ),
    Dataset(
        name="esl", task="synonyms", items=50,
        sources=((("esl.tsv",), "choices"), (("esl.txt",), "choices"),
                 (("esl.qst", "esl.ans"), "numbered choices")),
        citation="P. D. Turney, 2001, Mining the Web for synonyms: PMI-IR versus LSA on TOEFL",
        page="https://aclweb.org/aclwiki/ESL_Synonym_Questions_(State_of_the_art)",
        licence="not freely offered: ask P. D. Turney",
    ),
)  # fmt: skip


def _classes(name: str, items: int, citation: str, page: str, *own: tuple[str, str]) -> Dataset:
    named = (
        (f"{name}.tsv", "members"),
        (f"word-categorization/{ENGLISH}{name}.csv", "members"),  # another has relations
        (f"{name}.csv", "members"),
        (f"EN-{name.upper()}/", "members"),
    )
    sources: Sources = tuple(((file,), layout) for file, layout in (*named, *own))
    return Dataset(
        name=name, task="categorization", items=items, sources=sources, citation=citation, page=page
    )


_CATEGORIZATION = (
    _classes(
        "ap", 402, "A. Almuhareb, 2006, Attributes in lexical acquisition",
        "https://github.com/kudkudak/word-embeddings-benchmarks",
    ),
    _classes(
        "bless", 200, "M. Baroni and A. Lenci, 2011, How we BLESSed distributional semantic "
        "evaluation", "https://sites.google.com/site/geometricalmodels/shared-evaluation",
        ("BLESS.txt", "bless"),
    ),
    _classes(
        "battig", 5231, "W. F. Battig and W. E. Montague, 1969, Category norms for verbal items in "
        "56 categories", "https://github.com/kudkudak/word-embeddings-benchmarks",
    ),
    _classes(
        "esslli", 44, "M. Baroni, S. Evert and A. Lenci (eds), 2008, Lexical semantics: bridging "
        "the gap between semantic theory and computational simulation",
        "http://wordspace.collocations.de/doku.php/data:esslli2008:start",
        ("EN-ESSLI-1a/", "members"),
    ),
)  # fmt: skip

DATASETS: dict[str, Dataset] = {
    dataset.name: dataset for dataset in (*_SIMILARITY, *_ANALOGY, *_SYNONYMS, *_CATEGORIZATION)
}
TASKS = ("similarity", "analogy", "synonyms", "categorization")
# The sets of table 6.2 of the thesis on UBE, KUBWE and EigenWord.
TEN = (
    *("ws353", "ws353-sim", "ws353-rel", "men", "mc30", "rg65", "simlex999", "yp130"),
    *("mturk771", "rw"),
)


def dataset_of(name: str) -> Dataset:
    """Return the set of a name; an error lists the names.

    Examples
    --------
    >>> dataset_of("rg65").items
    65
    """
    if name not in DATASETS:
        raise FirthError(f"{name[:40]!r} is not a known set: choose one of {', '.join(DATASETS)}")
    return DATASETS[name]
