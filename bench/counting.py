"""Counting, side by side with ``wc -w`` and one epoch of gensim's skip-gram.

Run ``python -m bench.counting``; it prints Markdown. RESULTS.md has the results.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
from pathlib import Path

from bench.figure import draw
from bench.measure import WORK, alternate, corpus, firth, machine, repeated, run, together, warm

OUT = WORK / "counts"
COMMON = ("--tokenizer", "whitespace", "--min-count", "20", "--quiet")
FLAT = ("--window", "5", "--weighting", "flat")


def count(text: Path, *more: str, out: Path = OUT) -> list[str]:
    """Return the command that counts a text."""
    return firth("count", str(text), "-o", str(out), *COMMON, *more)


def speed(repeats: int) -> None:
    """Compare counting with wc and gensim, and two threads with one."""
    text = corpus()
    found = alternate(
        {
            "LC_ALL=C wc -w": ["wc", "-w", str(text)],
            "firth count, 2 threads": count(text, *FLAT, "--threads", "2"),
            "firth count, 1 thread": count(text, *FLAT, "--threads", "1"),
        },
        repeats,
        OUT,
    )
    wc, two, one = found.values()
    print("| command | median s | range | × wc | peak MiB |")
    print("|---|---|---|---|---|")
    for name, measured in found.items():
        ratio = measured.seconds / wc.seconds
        print(
            f"| {name} | {measured.seconds:.2f} | {measured.spread} | {ratio:.2f} "
            f"| {measured.peak / 2**20:.0f} |"
        )
    print(f"\nTwo threads are {one.seconds / two.seconds:.2f} × as fast as one.")
    outs = (WORK / "beside-1", WORK / "beside-2")
    beside = {out: count(text, *FLAT, "--threads", "1", out=out) for out in outs}
    print(
        "Upper bound for two cores of this machine: two runs of one thread each, at the same "
        f"time, do {2 * one.seconds / together(beside, repeats):.2f} × the work of one."
    )
    epoch = gensim(text, repeats)
    bars = {"wc -w": wc.seconds, "firth count, 2 threads": two.seconds}
    if epoch:
        print(
            f"One epoch of gensim's skip-gram (d = 100, 2 workers, corpus_file): {epoch:.1f} s, "
            f"{epoch / two.seconds:.1f} × the whole of firth count."
        )
        bars["gensim skip-gram, one epoch, 2 workers"] = epoch
    draw(bars, "17 million tokens of Wikipedia, seconds", Path("docs/counting.svg"))


def gensim(text: Path, repeats: int) -> float | None:
    """Return the median seconds of one epoch, or None if gensim is not installed."""
    times = []
    for _ in range(repeats):
        done = subprocess.run(
            [sys.executable, "-m", "bench.gensim_epoch", str(text), "2"],
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            print(f"\ngensim did not run: {done.stderr.strip().splitlines()[-1]}")
            return None
        times.append(float(done.stdout.split()[0]))
    return statistics.median(times)


def windows(repeats: int) -> None:
    """Measure time, nonzeros and size by window."""
    text = corpus()
    settings = [("2", "flat"), ("5", "flat"), ("10", "flat"), ("10", "harmonic")]
    print("| window | weighting | median s | nonzeros | store MiB |")
    print("|---|---|---|---|---|")
    for window, weighting in settings:
        command = count(text, "--threads", "2", "--window", window, "--weighting", weighting)
        seconds = statistics.median(run(command, OUT).seconds for _ in range(repeats))
        meta = json.loads((OUT / "meta.json").read_text())
        size = sum(file.stat().st_size for file in OUT.iterdir()) / 2**20
        print(f"| {window} | {weighting} | {seconds:.2f} | {meta['nonzeros']:,} | {size:.0f} |")


def growth(repeats: int) -> None:
    """Measure time per token and memory as the corpus grows, within 1 GiB and within 256 MiB."""
    print("| memory | tokens | median s | ns per token | peak RSS MiB |")
    print("|---|---|---|---|---|")
    for memory in ("1G", "256M"):
        for times in (1, 4, 10):
            command = count(warm(repeated(times)), *FLAT, "--threads", "2", "--memory", memory)
            runs = [run(command, OUT) for _ in range(repeats)]
            seconds = statistics.median(r.seconds for r in runs)
            tokens = 17_000_023 * times
            peak = max(r.peak for r in runs) / 2**20
            print(
                f"| {memory} | {tokens:,} | {seconds:.1f} | {seconds / tokens * 1e9:.0f} "
                f"| {peak:.0f} |"
            )


def main() -> None:
    """Run all parts, or the one given."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--only", choices=("speed", "windows", "growth"))
    options = parser.parse_args()
    print(f"Machine: {machine()}.\n")
    for name, part in (("speed", speed), ("windows", windows), ("growth", growth)):
        if options.only in (None, name):
            print(f"\n### {name}\n", flush=True)
            part(options.repeats if name != "growth" else max(1, (options.repeats + 1) // 2))


if __name__ == "__main__":
    main()
