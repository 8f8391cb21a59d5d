"""The registry, and tests found in folders."""

import hashlib

import pytest

from firth.errors import FirthError
from firth.evaluation import finding
from firth.evaluation.finding import DataFolders, data_folders, tasks_of
from firth.evaluation.lines import DatasetError
from firth.evaluation.parsing import PARSERS
from firth.evaluation.registry import DATASETS, TASKS, TEN, dataset_of

NAMES = [
    *(
        "ws353",
        "ws353-sim",
        "ws353-rel",
        "men",
        "mturk287",
        "mturk771",
        "simlex999",
        "simverb3500",
        "rw",
    ),
    *("rg65", "mc30", "yp130", "verb143", "scws", "semeval17", "google", "msr"),
    *("bats", "toefl", "esl", "ap", "bless", "battig", "esslli"),
]


def test_every_set_is_described():
    assert set(DATASETS) == set(NAMES)
    assert set(TEN) <= set(NAMES)
    for name, dataset in DATASETS.items():
        assert dataset.name == name
        assert dataset.task in TASKS
        assert dataset.items > 0
        assert dataset.citation
        assert dataset.licence
        assert dataset.page.startswith("http")
        assert all(layout in PARSERS for _, layout in dataset.sources)
        assert not dataset.sha256 or len(bytes.fromhex(dataset.sha256)) == 32
        if not dataset.download:
            assert "bring your own file" in finding.how_to_get(dataset)
    assert "ask" in DATASETS["toefl"].licence
    assert not DATASETS["toefl"].download


def test_the_checksum_is_that_of_a_file(data):
    content = (data / "analogy" / "google-questions-words.txt").read_bytes()
    assert hashlib.sha256(content).hexdigest() == DATASETS["google"].sha256


def test_sizes_are_those_of_the_real_sets(data):
    folders = DataFolders([data])
    here = [name for name in DATASETS if folders.find(DATASETS[name])]
    assert len(here) >= 14
    for name in here:
        assert folders.task(name).size == DATASETS[name].items, name


def test_halves_are_paper_as(data):
    folders = DataFolders([data])
    for name in ("men", "rw", "ws353", "google", "msr"):
        dev, test = (folders.task(name, half) for half in ("dev", "test"))
        assert dev.size + test.size == DATASETS[name].items
        assert folders.find(DATASETS[name], "dev").half == "dev"
    # A's own halves of WordSim-353 are every second pair; so a set without files is cut alike.
    whole = folders.task("ws353")
    for half in ("dev", "test"):
        cut = [pair[:2] for pair in whole.half(half).pairs]
        assert cut == [pair[:2] for pair in folders.task("ws353", half).pairs]
    assert folders.task("rg65", "test").size == 33


def make(folder, **files):
    for name, text in files.items():
        path = folder / name.replace("__", "/")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return DataFolders([folder])


def test_files_are_found_by_any_of_their_names(tmp_path):
    folders = make(tmp_path, **{
        "deep__er__simlex-999.TXT": "word1\tword2\tPOS\tSimLex999\nold\tnew\tA\t1.58\n",
        "ws353__combined.csv": "Word 1,Word 2,Human (mean)\nlove,sex,6.77\n",
        "SCWS__ratings.txt": "1\tBrazil\tn\tnut\tn\tx\ty\t1.1\n",
        "other__combined.tab": "not a test",
        "semeval__en.test.data.txt": "sun\tmoon\n",
        "semeval__en.test.gold.txt": "2.5\n",
        "BATS_3.0__I01.txt": "album\talbums\napp\tapps\n",
    })  # fmt: skip
    assert folders.task("simlex999").pairs == (("old", "new", 1.58),)
    assert folders.task("ws353").pairs == (("love", "sex", 6.77),)
    assert folders.task("scws").pairs == (("Brazil", "nut", 1.1),)
    assert folders.task("semeval17").pairs == (("sun", "moon", 2.5),)
    assert folders.task("bats").size == 2
    assert folders.find(dataset_of("men")) is None
    with pytest.raises(DatasetError, match=r"men: not in .*: firth data get men"):
        folders.task("men")
    with pytest.raises(DatasetError, match=r"toefl: not in .*: bring your own file \(not freely"):
        folders.task("toefl")


def test_a_collection_in_many_languages_is_read_in_english(tmp_path):
    pair = ",word1,word2,similarity\n0,{},{},3.5\n".format
    folders = make(tmp_path, **{
        "word-similarity__cross-lingual__de-es__rg65.csv": pair("Juwel", "joya"),
        "word-similarity__cross-lingual__de-es__semeval17.csv": pair("Sonne", "luna"),
        "word-similarity__monolingual__en__rg-65.csv": pair("gem", "jewel"),
        "word-similarity__monolingual__en__semeval17.csv": pair("sun", "moon"),
        "semantic-relation__monolingual__en__bless.csv": ",relation,word1,word2\n0,hyper,a,b\n",
        "word-categorization__monolingual__en__bless.csv":
            ",category,word\n0,bird,owl\n1,bird,\n2,tree,oak\n",
        "EN-ESSLI-1a__bird.txt": "owl\n", "EN-ESSLI-1a__tool.txt": "saw\n",
        "SemEval17-Task2__test__subtask1-monolingual__data__deep__en.test.data.txt": "a\tb\n",
    })  # fmt: skip
    assert folders.task("rg65").pairs == (("gem", "jewel", 3.5),)
    assert folders.task("semeval17").pairs == (("sun", "moon", 3.5),)
    assert folders.task("bless").members == (("owl", "bird"), ("oak", "tree"))
    assert folders.task("esslli").members == (("owl", "bird"), ("saw", "tool"))
    assert "en.test.data.txt" in folders._names


@pytest.mark.parametrize("name", NAMES)
def test_every_file_that_is_fetched_is_found(tmp_path, name):
    # The last part of its name, in a folder of the name of the set, is how a download is kept.
    for number, (files, _) in enumerate(dataset_of(name).sources):
        for file in files:
            path = tmp_path / str(number) / name / file.rstrip("/").rpartition("/")[2]
            path.parent.mkdir(parents=True, exist_ok=True)
            path.mkdir() if file.endswith("/") else path.write_text("")
        assert DataFolders([tmp_path / str(number)]).find(dataset_of(name)), files


def test_the_first_folder_counts(tmp_path):
    make(tmp_path / "one", **{"rg65.tsv": "a\tb\t1\n"})
    make(tmp_path / "two", **{"rg65.tsv": "c\td\t2\n", "mc30.tsv": "e\tf\t3\n"})
    folders = DataFolders([tmp_path / "one", tmp_path / "two"])
    assert folders.task("rg65").pairs == (("a", "b", 1.0),)
    assert folders.task("mc30").pairs == (("e", "f", 3.0),)


def test_a_set_of_which_only_the_halves_are_here(tmp_path):
    folders = make(tmp_path, **{
        "msr-syntactic.dev.tsv": "A_B a b c d\n",
        "msr-syntactic.test.tsv": "A_B e f g h\nA_B i j k l\n",
    })  # fmt: skip
    assert [folders.task("msr", half).size for half in ("whole", "dev", "test")] == [3, 1, 2]


def test_suites(tmp_path):
    folders = make(tmp_path, **{
        "rg65.tsv": "a\tb\t1\n", "mc30.tsv": "e\tf\t3\n", "questions-words.txt": "a b c d\n",
        "ap.tsv": "owl\tbird\noak\ttree\n", "own.tsv": "x\ty\t1\nx\tz\t2\n",
    })  # fmt: skip
    assert [task.name for task in tasks_of(["similarity"], folders)] == ["rg65", "mc30"]
    both = tasks_of(["google", "google", "ap"], folders, rules=("add", "cosmul"))
    assert [(t.name, getattr(t, "rule", t.kind)) for t in both] == [
        ("google", "add"), ("google", "cosmul"), ("ap", "categorization"), ("ap", "categorization"),
    ]  # fmt: skip
    assert [task.by for task in both[2:]] == ["k-means", "ward"]
    (own,) = tasks_of([f"similarity:{tmp_path / 'own.tsv'}"], folders, "dev")
    assert (own.name, own.pairs) == ("own", (("x", "z", 2.0),))
    with pytest.raises(FirthError, match="'wordsim' is not a known set: choose one of ws353"):
        tasks_of(["wordsim"], folders)
    with pytest.raises(DatasetError, match="no synonyms test in"):
        tasks_of(["synonyms"], folders)
    with pytest.raises(DatasetError, match="'guess' is not a task"):
        tasks_of(["guess:file"], folders)
    with pytest.raises(DatasetError, match="ws353: not in"):
        tasks_of(["ten"], folders)


def test_files_of_one_name_are_told_apart(tmp_path):
    folders = make(tmp_path, **{"rg65.tsv": "a\tb\t1\n", "one__my.tsv": "x\ty\t1\n",
                                "two__my.tsv": "x\tz\t1\n"})  # fmt: skip
    paths = [tmp_path / "one" / "my.tsv", tmp_path / "two" / "my.tsv", tmp_path / "rg65.tsv"]
    own = [f"similarity:{path}" for path in paths]
    names = [task.name for task in tasks_of([*own, "rg65"], folders)]
    assert names == [*map(str, paths), "rg65"]
    assert [task.name for task in tasks_of(own[1:], folders)] == ["my", "rg65"]


def test_where_tests_are_looked_for(tmp_path, monkeypatch):
    monkeypatch.setenv("FIRTH_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("FIRTH_CACHE", str(tmp_path / "cache"))
    with pytest.raises(
        FirthError, match=r"no folder of tests: .*data, which FIRTH_DATA names, does"
    ):
        data_folders()
    (tmp_path / "data").mkdir()
    assert data_folders() == [tmp_path / "data"]
    (tmp_path / "cache").mkdir()
    assert data_folders() == [tmp_path / "data", tmp_path / "cache"]
    assert data_folders([tmp_path]) == [tmp_path]
    monkeypatch.delenv("FIRTH_DATA")
    (tmp_path / "cache").rmdir()
    with pytest.raises(FirthError, match="no folder of tests: give one as data"):
        data_folders()
    with pytest.raises(DatasetError, match="nowhere: no such folder"):
        DataFolders([tmp_path / "nowhere"]).find(dataset_of("rg65"))
