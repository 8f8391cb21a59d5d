"""Other programs that train vectors, if they are on PATH: word2vec, GloVe and fastText.

Each runs with its usual settings and the dimensions of the benchmark, and writes a file of vectors
that `firth import` reads.
"""

from __future__ import annotations

import shlex
import shutil
from dataclasses import dataclass
from pathlib import Path

from bench.measure import WORK, Run, run


@dataclass(frozen=True)
class Peer:
    """Programs, the shell command that runs them, and the suffix of the file they write."""

    programs: tuple[str, ...]
    script: str
    suffix: str


PEERS = {
    "word2vec skip-gram, 5 epochs": Peer(
        ("word2vec",),
        "word2vec -train {text} -output {out}.bin -binary 1 -size {dim} -cbow 0 -hs 0 -window 5 "
        "-negative 5 -sample 1e-4 -min-count 20 -iter 5 -threads 2",
        ".bin",
    ),
    "fastText skip-gram, 5 epochs": Peer(
        ("fasttext",),
        "fasttext skipgram -input {text} -output {out} -dim {dim} -ws 5 -neg 5 -t 1e-4 "
        "-minCount 20 -epoch 5 -thread 2",
        ".vec",
    ),
    "GloVe, 15 iterations": Peer(
        ("vocab_count", "cooccur", "shuffle", "glove"),
        "vocab_count -min-count 20 < {text} > {out}.vocab && "
        "cooccur -vocab-file {out}.vocab -window-size 10 -memory 4 < {text} > {out}.pairs && "
        "shuffle -memory 4 < {out}.pairs > {out}.mixed && "
        "glove -input-file {out}.mixed -vocab-file {out}.vocab -save-file {out} -binary 0 "
        "-vector-size {dim} -x-max 10 -iter 15 -threads 2",
        ".txt",
    ),
}


def present() -> list[str]:
    """Return the names of the peers whose programs are on PATH."""
    return [name for name, peer in PEERS.items() if all(map(shutil.which, peer.programs))]


def vectors_of(name: str, dim: int) -> Path:
    """Return the path of the vectors of a peer."""
    return WORK / f"{PEERS[name].programs[-1]}-{dim}{PEERS[name].suffix}"


def train(name: str, text: Path, dim: int) -> Run:
    """Train vectors; return time and memory."""
    out = vectors_of(name, dim).with_suffix("")
    words = {"text": shlex.quote(str(text)), "out": shlex.quote(str(out)), "dim": dim}
    return run(["sh", "-c", f"( {PEERS[name].script.format(**words)} ) 2> {out}.log"])
