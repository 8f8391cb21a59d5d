"""Train one epoch of gensim's skip-gram; print its seconds and those of the vocabulary scan."""

from __future__ import annotations

import sys
import time

from gensim.models import Word2Vec


def main() -> None:
    """Train; the arguments are the text and the number of workers."""
    path, workers = sys.argv[1], int(sys.argv[2])
    model = Word2Vec(sg=1, vector_size=100, window=5, negative=5, min_count=20, workers=workers)
    scan = time.perf_counter()
    model.build_vocab(corpus_file=path)
    begun = time.perf_counter()
    model.train(
        corpus_file=path,
        total_words=model.corpus_total_words,
        total_examples=model.corpus_count,
        epochs=1,
    )
    print(f"{time.perf_counter() - begun:.3f} {begun - scan:.3f}")


if __name__ == "__main__":
    main()
