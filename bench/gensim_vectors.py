"""Run gensim's skip-gram: scan, train, and save in word2vec's binary format.

Subsampling (1e-3), negative samples (5) and rates are gensim's defaults.
"""

from __future__ import annotations

import sys

from gensim.models import Word2Vec


def main() -> None:
    """Train; the arguments are text, output, dimensions, epochs, workers.

    After them may come the window (default 5) and the least count of a word (default 20).
    """
    text, out, dim, epochs, workers, *others = sys.argv[1:]
    window, least = ([int(other) for other in others] + [5, 20][len(others) :])[:2]
    model = Word2Vec(
        corpus_file=text,
        sg=1,
        vector_size=int(dim),
        window=window,
        min_count=least,
        epochs=int(epochs),
        workers=int(workers),
        seed=1,
    )
    model.wv.save_word2vec_format(out, binary=True)


if __name__ == "__main__":
    main()
