"""Trees of clusters for hypothesis."""

import numpy as np
from hypothesis import strategies as st

import firth


@st.composite
def trees(draw):
    """Any binary tree over up to twenty words, cut anywhere."""
    size = draw(st.integers(1, 20))
    nodes, merges = list(range(size)), []
    for number in range(size - 1):
        a = nodes.pop(draw(st.integers(0, len(nodes) - 1)))
        b = nodes.pop(draw(st.integers(0, len(nodes) - 1)))
        merges.append((a, b))
        nodes.append(size + number)
    costs = [draw(st.floats(0, 9)) for _ in merges]
    words = firth.Vocabulary([f"w{i}" for i in range(size)], range(2 * size, size, -1))
    pairs = np.array(merges, dtype=np.int64).reshape(-1, 2)
    return firth.Hierarchy(words, pairs, np.array(costs), draw(st.integers(1, size)))
