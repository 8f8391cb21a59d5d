"""Mutual information and a tagger's F1 against κ, for each context.

This is figure 6 of Stratos, Kim, Collins and Hsu (2014). Run ``python -m bench.kappas``; it prints
Markdown and draws docs/clusters-kappa.svg. Measurements are stored in build/bench/kappas.json, and
``--redraw`` draws them again. Clusters are made from wiki17m; the tagger is trained and tested on
WNUT 17.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

import firth
from bench.clusters import COUNTS, PAPER, counts
from bench.measure import WORK, machine, run
from bench.measure import firth as command
from bench.tagging import sentences
from firth.evaluation import ner
from firth.evaluation.figures import SUFFIXES, check_figure
from firth.resources import Resources

KAPPAS = (10, 50, 200, 1000, 5000, 20_000)
CONTEXTS = ("R1", "LR1", "LR2")
FOUND = WORK / "kappas.json"
FIGURE = Path("docs/clusters-kappa.svg")
COLOURS = {"R1": "#c2622d", "LR1": "#1b6e8c", "LR2": "#5b3f8c"}
MARKERS = {"R1": "s", "LR1": "o", "LR2": "^"}
SHIFTS = {"R1": 0.88, "LR1": 1.0, "LR2": 1.14}  # so that error bars do not overlap


def brown(clusters: int, threads: int) -> Path:
    """Return the paths file of Brown clusters; make it once."""
    path = WORK / f"brown-{clusters}.paths"
    if not path.exists():
        counts()
        options = ("--method", "brown", "--clusters", str(clusters), "--threads", str(threads))
        run(command("cluster", str(COUNTS), "--paths", str(path), *options, "--quiet"))
    return path


def measure(clusters: int, threads: int, seeds: int, settings: dict[str, Any]) -> dict[str, Any]:
    """Make a tree for each context and κ; measure its mutual information and the tagger's F1."""
    matrix = counts()
    reference = firth.Hierarchy.load(brown(clusters, threads))
    information = {"brown": reference.information(matrix)}
    paths = {"brown": reference.paths()}
    for context in CONTEXTS:
        for kappa in KAPPAS:
            method = firth.clusters.SpectralClusters(
                clusters=clusters, neighbours=context, kappa=kappa, **settings
            )
            tree = method.fit(matrix, resources=Resources(threads=threads))
            information[f"{context} {kappa}"] = tree.information(matrix)
            paths[f"{context} {kappa}"] = tree.paths()
    rows = ner.run(
        {}, sentences("train"), sentences("test"), dev=sentences("dev"), clusters=paths,
        seeds=seeds, resamples=5000,
    )  # fmt: skip
    return {
        "clusters": clusters,
        "seeds": seeds,
        "settings": settings,
        "information": information,
        "tagger": {row.name: row.to_json() for row in rows},
    }


def tables(found: dict[str, Any]) -> None:
    """Print the numbers of the figure as tables."""
    header = "| context | " + " | ".join(f"κ = {kappa:,}" for kappa in KAPPAS) + " |\n"
    header += "|---" * (len(KAPPAS) + 1) + "|"
    information, tagger = found["information"], found["tagger"]
    print(f"MI, m = {found['clusters']}; Brown clusters {information['brown']:.4f}\n\n{header}")
    for context in CONTEXTS:
        cells = [f"{information[f'{context} {kappa}']:.4f}" for kappa in KAPPAS]
        print(f"| {context} | {' | '.join(cells)} |")
    print(f"\nTest F1 and its range, {found['seeds']} seeds\n\n{header}")
    for context in CONTEXTS:
        cells = [_score(tagger[f"{context} {kappa}"]["f1"]) for kappa in KAPPAS]
        print(f"| {context} | {' | '.join(cells)} |")
    for name in ("plain", "brown"):
        print(f"\n{name}: {_score(tagger[name]['f1'])}, dev {tagger[name]['dev']:.1f}")
    gains = {name: row["difference"] for name, row in tagger.items() if row["difference"]}
    print("\nAbove plain: " + "; ".join(f"{name} {_gain(gain)}" for name, gain in gains.items()))
    print("\nDev F1: " + "; ".join(f"{name} {row['dev']:.1f}" for name, row in tagger.items()))


def _score(f1: dict[str, float]) -> str:
    return f"{f1['value']:.1f} ({f1['low']:.1f} to {f1['high']:.1f})"


def _gain(gap: dict[str, float]) -> str:
    return f"{gap['value']:+.1f} ({gap['low']:+.1f} to {gap['high']:+.1f})"


def draw(found: dict[str, Any], path: Path) -> None:
    """Draw both panels of the figure."""
    check_figure(path)
    import matplotlib as mpl

    mpl.use("Agg")
    mpl.rcParams["svg.hashsalt"] = "firth"  # the same bytes for the same figure
    import matplotlib.pyplot as plt

    figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4.2), layout="constrained")
    information, tagger = found["information"], found["tagger"]
    for context in CONTEXTS:
        look = {"color": COLOURS[context], "marker": MARKERS[context], "markersize": 5}
        heights = [information[f"{context} {kappa}"] for kappa in KAPPAS]
        left.plot(KAPPAS, heights, label=context, **look)
        scores = [tagger[f"{context} {kappa}"]["f1"] for kappa in KAPPAS]
        middles = [score["value"] for score in scores]
        errors = [
            [score["value"] - score["low"] for score in scores],
            [score["high"] - score["value"] for score in scores],
        ]
        places = [kappa * SHIFTS[context] for kappa in KAPPAS]
        right.errorbar(
            places, middles, yerr=errors, label=context, elinewidth=0.8, capsize=2, **look
        )
    left.axhline(information["brown"], color="black", linestyle="--", label="Brown")
    right.axhline(tagger["brown"]["f1"]["value"], color="black", linestyle="--", label="Brown")
    plain = tagger["plain"]["f1"]
    right.axhline(plain["value"], color="grey", linestyle=":", label="no clusters")
    right.axhspan(plain["low"], plain["high"], color="grey", alpha=0.15, linewidth=0)
    left.set_title(f"(a) mutual information, wiki17m, {found['clusters']:,} clusters", fontsize=10)
    left.set_ylabel("nats")
    right.set_title("(b) a tagger's F1, WNUT 17 test, with 95% ranges", fontsize=10)
    right.set_ylabel("F1")
    right.set_ylim(bottom=7)
    for axes, empty in ((left, "center right"), (right, "lower right")):
        axes.set_xscale("log")
        axes.set_xticks(KAPPAS, [f"{kappa:,}" for kappa in KAPPAS], fontsize=9)
        axes.minorticks_off()
        axes.set_xlabel("κ")
        axes.grid(alpha=0.25)
        axes.legend(fontsize=8, loc=empty, ncols=2)
    figure.savefig(path, metadata={"Date": None} if path.suffix == ".svg" else None, dpi=110)
    plt.close(figure)


def main() -> None:
    """Measure, or read earlier measurements; print and draw them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--clusters", type=int, default=1000)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--paper", action="store_true", help="use the settings of the paper")
    parser.add_argument("--redraw", action="store_true", help="draw the last measurements")
    parser.add_argument(
        "--figure", type=Path, default=FIGURE, help=f"output: {', '.join(SUFFIXES)}"
    )
    given = parser.parse_args()
    check_figure(given.figure)
    if not given.redraw:
        settings = {**PAPER, "dim": given.clusters} if given.paper else {}
        found = measure(given.clusters, given.threads, given.seeds, settings)
        FOUND.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    found = json.loads(FOUND.read_text(encoding="utf-8"))
    print(f"{machine()}\n")
    tables(found)
    draw(found, given.figure)


if __name__ == "__main__":
    main()
