from collections.abc import Callable, Sequence
from typing import Any, TypedDict

import numpy as np
from numpy.typing import NDArray

END_OF_LINE: int
DROPPED: int
UNICODE_VERSION: str

Progress = Callable[[int, int], object]
Files = tuple[int, int, int]
Rows = tuple[NDArray[np.int64], int, bool, NDArray[np.int32] | None, NDArray[Any] | None]

class Seen(TypedDict):
    lines: int
    tokens: int
    invalid: int
    first_invalid: int
    nul: int

def tokenize(
    text: bytes | memoryview | NDArray[np.uint8], tokenizer: str, lower: bool, last: bool
) -> tuple[NDArray[np.uint32], NDArray[np.uint8], NDArray[np.uint64], NDArray[np.int64], Seen]: ...
def normalize(text: str, compose: bool, lower: bool) -> str: ...
def malformed(text: bytes) -> tuple[int, int]: ...
def sound(
    starts: NDArray[np.int64], columns: NDArray[np.int32], width: int, threads: int
) -> bool: ...
def empty(size: int) -> NDArray[np.uint32]: ...
def place(ids: NDArray[np.uint32], places: NDArray[np.uint32], out: NDArray[np.uint32]) -> int: ...
def bucket(
    stream: NDArray[np.uint32], first: int, last: int, rows: int, threads: int
) -> tuple[NDArray[np.int64], NDArray[np.uint32]]: ...
def count_rows(
    contexts: NDArray[np.uint32],
    universe: int,
    columns: int,
    starts: NDArray[np.int64],
    positions: NDArray[np.uint32],
    leave_out: NDArray[np.int32] | None,
    left: Sequence[int],
    right: Sequence[int],
    positional: bool,
    files: Files | None,
    threads: int,
    progress: Progress | None,
) -> Rows: ...
def merge_rows(
    matrices: list[dict[str, Any]],
    rows: int,
    columns: int,
    limit: int,
    batch: int,
    files: Files | None,
    threads: int,
    progress: Progress | None,
) -> Rows: ...

class Lexicon:
    def __init__(self) -> None: ...
    def merge(
        self, text: NDArray[np.uint8], ends: NDArray[np.uint64], counts: NDArray[np.int64]
    ) -> NDArray[np.uint32]: ...
    def order(self, least: int) -> NDArray[np.uint32]: ...
    def words(self, ids: NDArray[np.uint32]) -> list[str]: ...
    def find(self, words: Sequence[str]) -> NDArray[np.int64]: ...
    def counts(self) -> NDArray[np.int64]: ...
    def __len__(self) -> int: ...
    @property
    def nbytes(self) -> int: ...
