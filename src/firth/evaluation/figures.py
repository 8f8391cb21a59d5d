"""Draw scores with their intervals, with matplotlib."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import IO, Any

from firth.errors import FirthError, need_extra
from firth.evaluation.report import Report, Row
from firth.stores.writing import write_files

SUFFIXES = (".svg", ".png", ".pdf")
ACROSS = 3  # panels in a row
WIDE = 8  # ratio of the largest to the smallest value from which the axis is logarithmic
CROWD = 8  # values that fit below a panel without turning their labels


def _pyplot() -> Any:
    try:
        import matplotlib as mpl
    except ImportError:
        raise need_extra("matplotlib", "plots") from None
    mpl.use("Agg")  # draws to files, without a display
    mpl.rcParams["svg.hashsalt"] = "firth"  # the same figure, the same bytes
    import matplotlib.pyplot as plt

    return plt


def check_figure(path: Path) -> None:
    """Raise if a figure cannot be drawn to a file of this name."""
    if path.suffix not in SUFFIXES:
        raise FirthError(f"{path}: a figure's name ends in {', '.join(SUFFIXES)}")
    if not path.absolute().parent.is_dir():
        raise FirthError(f"{path}: cannot be written: no such folder: choose another name")
    _pyplot()


def _saved(path: Path, figure: Any, plt: Any) -> None:
    kind = path.suffix[1:]
    metadata = {"svg": {"Date": None}, "pdf": {"CreationDate": None}, "png": {"Software": None}}

    def write(file: IO[bytes]) -> None:
        figure.savefig(file, format=kind, metadata=metadata[kind])

    try:
        write_files((path, write))
    finally:
        plt.close(figure)


def draw_scores(report: Report, path: Path) -> None:
    """Draw every score as a point with its interval, one test below the other."""
    check_figure(path)
    plt = _pyplot()
    tests = list(dict.fromkeys((row.test, row.measure) for row in report.rows if row.percent))
    height = 1.2 + len(tests) * (0.16 + 0.14 * len(report.spaces))
    figure, axes = plt.subplots(figsize=(7, height), layout="constrained")
    for number, space in enumerate(report.spaces):
        rows = {(r.test, r.measure): r for r in report.rows if r.space == space}
        shift = (number - (len(report.spaces) - 1) / 2) * 0.8 / max(len(report.spaces), 2)
        drawn = [(at, rows[test]) for at, test in enumerate(tests) if test in rows]
        drawn = [(at, row) for at, row in drawn if row.score is not None]
        axes.errorbar(
            [100 * (row.score or 0) for _, row in drawn],
            [at + shift for at, _ in drawn],
            xerr=_errors([row for _, row in drawn]),
            fmt="o", markersize=4, capsize=2, linewidth=1, label=space,
        )  # fmt: skip
    axes.set_yticks(
        range(len(tests)), [f"{test} ({measure})" for test, measure in tests], fontsize=8
    )
    axes.invert_yaxis()
    axes.grid(axis="x", alpha=0.3)
    axes.set_xlabel(f"score, with intervals of {report.rules.level:.0%}")
    if len(report.spaces) > 1:
        figure.legend(fontsize=8, loc="outside upper center", ncols=min(len(report.spaces), 3))
    _saved(path, figure, plt)


def _errors(rows: Sequence[Row]) -> list[list[float]]:
    low = [100 * ((r.score or 0) - (r.score or 0 if r.low is None else r.low)) for r in rows]
    high = [100 * ((r.score or 0 if r.high is None else r.high) - (r.score or 0)) for r in rows]
    return [[max(0.0, value) for value in side] for side in (low, high)]


def draw_sweep(
    points: Sequence[tuple[Mapping[str, Any], Sequence[Row]]],
    path: Path,
    shown: Callable[[Mapping[str, Any]], str],
) -> None:
    """Draw a line per test over the first parameter, a panel per setting of the others.

    Parameters
    ----------
    points
        The settings of each point of the grid, and its rows.
    path
        The file.
    shown
        Returns the settings of a panel as text.
    """
    check_figure(path)
    plt = _pyplot()
    along = next(iter(points[0][0]))
    panels: dict[str, list[tuple[Any, Sequence[Row]]]] = {}
    for settings, rows in points:
        others = {name: value for name, value in settings.items() if name != along}
        panels.setdefault(shown(others), []).append((settings[along], rows))
    across = min(len(panels), ACROSS)
    down = -(-len(panels) // across)
    tests = list(dict.fromkeys((row.test, row.measure) for _, rows in points for row in rows))
    figure, grid = plt.subplots(
        down, across, figsize=(3 + 4 * across, max(4 * down, 1.5 + 0.2 * len(tests))),
        sharey=True, squeeze=False, layout="constrained",
    )  # fmt: skip
    for axes in grid.flat[len(panels) :]:
        axes.remove()
    for axes, (title, drawn) in zip(grid.flat, panels.items(), strict=False):
        _draw_panel(axes, drawn, tests)
        axes.set_title(title, fontsize=9)
        axes.set_xlabel(along)
        axes.grid(alpha=0.3)
    for row in grid:
        row[0].set_ylabel("score")
    handles, labels = grid[0][0].get_legend_handles_labels()
    figure.legend(handles, labels, fontsize=8, loc="outside right upper", handlelength=3)
    _saved(path, figure, plt)


def _draw_panel(
    axes: Any, drawn: Sequence[tuple[Any, Sequence[Row]]], tests: Sequence[tuple[str, str]]
) -> None:
    values = [value for value, _ in drawn]
    numeric = all(isinstance(v, int | float) and not isinstance(v, bool) for v in values)
    if numeric:
        drawn = sorted(drawn, key=lambda point: point[0])
    for number, (test, measure) in enumerate(tests):
        found = []
        for place, (value, rows) in enumerate(drawn):
            row = next((r for r in rows if (r.test, r.measure) == (test, measure)), None)
            if row is not None and row.score is not None:
                found.append((value if numeric else place, row))
        xs = [x for x, _ in found]
        ys = [100 * (row.score or 0) for _, row in found]
        below, above = _errors([row for _, row in found])
        mean = bool(found) and found[0][1].task == "average"
        look = {"color": "black", "linewidth": 2.5} if mean else _look(number)
        label = f"{test} {measure.partition(', ')[2]}".strip()
        (line,) = axes.plot(xs, ys, marker="o", markersize=3, label=label, **look)
        lows = [y - low for y, low in zip(ys, below, strict=True)]
        highs = [y + high for y, high in zip(ys, above, strict=True)]
        if len(xs) == 1:  # an area needs two points
            axes.vlines(xs, lows, highs, color=line.get_color(), linewidth=1)
        # The more bands overlap, the fainter each is.
        shade = min(0.2, 0.8 / len(tests))
        axes.fill_between(xs, lows, highs, alpha=shade, color=line.get_color(), linewidth=0)
    _ticks(axes, values, numeric)


def _look(number: int) -> dict[str, Any]:
    """Return the colour and the dashes of a line; there are ten colours."""
    dashes = ("-", (0, (4, 2)), (0, (1, 1.5)))[number // 10 % 3]
    return {"color": f"C{number % 10}", "linestyle": dashes, "linewidth": 1.2}


def _ticks(axes: Any, values: Sequence[Any], numeric: bool) -> None:
    """Label only the values of the grid."""
    if not numeric:
        axes.set_xticks(range(len(values)), [str(value) for value in values])
        return
    if min(values) > 0 and max(values) >= WIDE * min(values):
        axes.set_xscale("log")
        axes.minorticks_off()
    size = 9 if len(values) <= CROWD else 7
    rotation = 0 if len(values) <= CROWD else 60
    labels = [f"{value:g}" for value in values]
    axes.set_xticks(values, labels, fontsize=size, rotation=rotation)


def draw_history(diagnostics: Mapping[str, Any], path: Path) -> None:
    """Draw the objective of each half sweep, and the deviance of each step where there are steps.

    Parameters
    ----------
    diagnostics
        Of a fit, as the recipe of its space has them.
    path
        The file.
    """
    check_figure(path)
    history = _steps_of(diagnostics)
    if not history or not history[0]["objective"]:
        raise FirthError("there is no objective to draw: this method keeps none")
    plt = _pyplot()
    deviances = [step["deviance"] for step in history if "deviance" in step]
    panels = 2 if len(deviances) > 1 else 1
    figure, grid = plt.subplots(
        1, panels, figsize=(1 + 4 * panels, 3.5), squeeze=False, layout="constrained"
    )
    for step in history:
        swept = [at / 2 for at in range(len(step["objective"]))]
        label = f"step {step['step']}"
        grid[0][0].plot(swept, step["objective"], marker=".", linewidth=1, label=label)
    grid[0][0].set_xlabel("sweep")
    grid[0][0].set_ylabel("objective")
    if len(history) > 1:
        grid[0][0].legend(fontsize=8)
    if panels > 1:
        grid[0][1].plot(range(1, len(deviances) + 1), deviances, marker=".", linewidth=1)
        grid[0][1].set_xlabel("step")
        grid[0][1].set_ylabel("deviance")
    for axes in grid[0]:
        axes.grid(alpha=0.3)
        axes.set_yscale("log")
    _saved(path, figure, plt)


def _steps_of(diagnostics: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return what diagnostics say of each step: nothing if they are damaged."""
    try:
        steps = diagnostics.get("history") or [{"objective": diagnostics.get("objective") or []}]
        return [
            {
                "step": step.get("step", number),
                "objective": [float(value) for value in step["objective"]],
                **({"deviance": float(step["deviance"])} if "deviance" in step else {}),
            }
            for number, step in enumerate(steps, start=1)
        ]
    except (AttributeError, KeyError, OverflowError, TypeError, ValueError):
        return []
