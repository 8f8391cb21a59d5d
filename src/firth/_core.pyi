from collections.abc import Callable, Sequence
from typing import Any, TypedDict

import numpy as np
from numpy.typing import NDArray

DROPPED: int
UNICODE_VERSION: str

Stream = NDArray[np.uint16] | NDArray[np.uint32]
Progress = Callable[[int, int], object]
Files = tuple[int, int, int] | int  # columns, values and where they begin; or one for packed rows
Rows = tuple[NDArray[np.int64], int, bool, NDArray[np.int32] | None, NDArray[Any] | None]

# The tokens of a part and the id of each of its types; also, where frequent words are sampled, the
# threshold of each type, the place of the first token and the key.
TokenPart = (
    tuple[NDArray[np.uint32], NDArray[np.uint32]]
    | tuple[NDArray[np.uint32], NDArray[np.uint32], NDArray[np.uint32], int, int]
)

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
def empty(size: int, narrow: bool = False) -> NDArray[Any]: ...

class Spare:
    def __init__(self) -> None: ...
    def __enter__(self) -> None: ...
    def __exit__(self, *error: object) -> None: ...

def place(
    parts: list[TokenPart],
    out: Stream,
    threads: int,
) -> tuple[int, int]: ...
def bucket(
    stream: Stream, first: int, last: int, rows: int, threads: int
) -> tuple[NDArray[np.int64], NDArray[np.uint32]]: ...
def count_rows(
    contexts: Stream,
    universe: int,
    columns: int,
    starts: NDArray[np.int64],
    positions: NDArray[np.uint32],
    leave_out: NDArray[np.int32] | None,
    left: Sequence[int],
    right: Sequence[int],
    blocks: str,
    files: Files | None,
    threads: int,
    progress: Progress | None,
) -> Rows: ...
def merge_rows(
    matrices: list[dict[str, Any]],
    rows: int,
    columns: int,
    limit: int,
    files: Files | None,
    threads: int,
    progress: Progress | None,
) -> Rows: ...
def merge_runs(
    runs: Sequence[tuple[int, int, int]],
    offset: int,
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

PANEL: int
TIE: float
ROUNDING: float

def marginals(
    starts: NDArray[np.int64],
    columns: NDArray[np.int32],
    values: NDArray[Any],
    width: int,
    threads: int,
) -> tuple[NDArray[np.int64], NDArray[np.int64]]: ...
def associate(
    starts: NDArray[np.int64],
    columns: NDArray[np.int32],
    values: NDArray[Any],
    of_row: NDArray[np.float64],
    of_column: NDArray[np.float64],
    transform: str,
    exponent: float,
    kind: str,
    unit: float,
    threshold: float,
    power: float,
    scale: float,
    threads: int,
    progress: Progress | None,
) -> tuple[NDArray[np.int64], NDArray[np.int32] | None, NDArray[np.float32]]: ...

class Sparse:
    def __init__(
        self,
        starts: NDArray[np.int64],
        columns: NDArray[np.int32],
        values: NDArray[np.float32],
        width: int,
        threads: int,
    ) -> None: ...
    def multiply(
        self, x: NDArray[np.float32], y: NDArray[np.float32], transposed: bool, threads: int
    ) -> None: ...
    def symmetric(self, threads: int) -> bool: ...
    def row_lengths(self, threads: int) -> NDArray[np.float64]: ...
    def unit_means(
        self,
        lengths: NDArray[np.float64],
        order: NDArray[np.int64],
        groups: NDArray[np.int64],
        means: NDArray[np.float32],
        threads: int,
    ) -> None: ...
    def transpose(
        self, threads: int
    ) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.float32]]: ...

def within(
    starts: NDArray[np.int64],
    columns: NDArray[np.int32],
    values: NDArray[np.float32],
    width: int,
    kept: NDArray[np.int32],
) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.float32]]: ...

ROW_FLOATS: int

class Cells:
    def solve(
        self,
        other: NDArray[np.float32],
        rows: NDArray[np.float32],
        offsets: NDArray[np.float32] | None,
        unseen_rows: NDArray[np.float64],
        unseen_columns: NDArray[np.float32] | None,
        unseen_diagonal: NDArray[np.float64],
        pull: NDArray[np.float64],
        constant: float,
        target: float,
        ridge_rows: NDArray[np.float64],
        ridge_diagonal: NDArray[np.float64],
        steps: int,
        threads: int,
        progress: Progress | None,
        relaxation: float = 1.0,
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]: ...

class CountCells(Cells):
    def __init__(
        self,
        starts: NDArray[np.int64],
        columns: NDArray[np.int32],
        values: NDArray[Any],
        of_row: NDArray[np.float64],
        of_column: NDArray[np.float32],
        scale: float,
        power: float,
        threads: int,
    ) -> None: ...
    def weight_sums(self, threads: int, progress: Progress | None) -> NDArray[np.float64]: ...

class ValueCells(Cells):
    def __init__(
        self,
        starts: NDArray[np.int64],
        columns: NDArray[np.int32],
        weights: NDArray[np.float32] | None,
        targets: NDArray[np.float32],
        width: int,
        threads: int,
    ) -> None: ...

class JoinedCells(Cells):
    def __init__(self, parts: list[Cells]) -> None: ...

PARTS: int

def adagrad_epoch(
    begins: NDArray[np.int64],
    rows: NDArray[np.int32],
    columns: NDArray[np.int32],
    weights: NDArray[np.float32],
    targets: NDArray[np.float32],
    left: NDArray[np.float32],
    left_squares: NDArray[np.float32],
    left_moves: NDArray[np.float32],
    left_penalty: NDArray[np.float32],
    right: NDArray[np.float32],
    right_squares: NDArray[np.float32],
    right_moves: NDArray[np.float32],
    right_penalty: NDArray[np.float32],
    penalised: NDArray[np.float32],
    batch: int,
    rate: float,
    threads: int,
    progress: Progress | None,
) -> float: ...
def model_values(
    starts: NDArray[np.int64],
    columns: NDArray[np.int32],
    begin: int,
    end: int,
    left: NDArray[np.float32],
    right: NDArray[np.float32],
    threads: int,
    progress: Progress | None,
) -> NDArray[np.float32]: ...
def transpose_tables(
    starts: NDArray[np.int64],
    columns: NDArray[np.int32],
    values: Sequence[NDArray[Any]],
    width: int,
    threads: int,
) -> tuple[NDArray[np.int64], NDArray[np.int32], list[NDArray[Any]]]: ...

# Children of each merge, two in a row; costs; searches for a nearest cluster.
Tree = tuple[NDArray[np.int32], NDArray[np.float64], int]

def ward(
    vectors: NDArray[np.float32],
    weights: NDArray[np.float64],
    active: int,
    threads: int,
    progress: Progress | None,
) -> Tree: ...
def brown(
    after_starts: NDArray[np.int64],
    after_columns: NDArray[np.int32],
    after_counts: NDArray[np.float64],
    before_starts: NDArray[np.int64],
    before_columns: NDArray[np.int32],
    before_counts: NDArray[np.float64],
    frequencies: NDArray[np.float64],
    active: int,
    threads: int,
    progress: Progress | None,
) -> Tree: ...

LONGEST_WORD: int

# Kind, line or row, numbers found or byte, word, field.
Fault = tuple[str, int, int, str, str]
VectorRows = tuple[list[str], NDArray[np.float32], NDArray[np.int64]]

def number_runs(text: bytes | memoryview, most: int, named: bool) -> NDArray[np.int64]: ...
def first_ambiguous(words: Sequence[str]) -> int: ...
def format_vectors(
    values: NDArray[np.float32],
    dimension: int,
    words: Sequence[str] | None,
    separator: str,
    threads: int,
) -> NDArray[np.int8]: ...

class VectorText:
    def __init__(self, dimension: int, named: bool, first_line: int) -> None: ...
    def add(self, lines: bytes | memoryview, threads: int) -> bool: ...
    def fault(self) -> Fault | None: ...
    def take(self) -> VectorRows: ...

class VectorBinary:
    def __init__(self, dimension: int) -> None: ...
    def add(self, data: bytes | memoryview, last: bool) -> int: ...
    def fault(self) -> Fault | None: ...
    def take(self) -> VectorRows: ...

LANES: int

class Sentences:
    def __init__(
        self,
        sentences: NDArray[np.int64],
        starts: NDArray[np.int64],
        features: NDArray[np.int32],
        width: int,
        rows: NDArray[np.int32],
        table: NDArray[np.float32],
    ) -> None: ...
    def __len__(self) -> int: ...
    def epoch(
        self,
        tags: int,
        gold: NDArray[np.int32],
        order: NDArray[np.int64],
        weights: NDArray[np.float64],
        totals: NDArray[np.float64],
        step: int,
        progress: Progress | None,
    ) -> int: ...
    def tag(
        self,
        tags: int,
        weights: NDArray[np.float64],
        allowed: NDArray[np.uint8],
        progress: Progress | None,
    ) -> NDArray[np.int32]: ...
