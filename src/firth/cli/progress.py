"""Progress on standard error: bars on a terminal, lines of text elsewhere."""

from __future__ import annotations

import sys
import time
from types import TracebackType
from typing import Any

import click

from firth.progress import Event
from firth.resources import format_bytes

EVERY = 5.0  # seconds between lines of text


def _rate(event: Event, seconds: float) -> str:
    parts = []
    if event.unit == "bytes":
        parts.append(format_bytes(event.done))
    elif event.unit and not event.total:
        parts.append(f"{event.done:,} {event.unit}")
    if event.tokens:
        parts.append(f"{event.tokens:,} tokens")
        if event.stage == "reading" and seconds > 0:
            parts.append(f"{event.tokens / seconds / 1e6:.1f}M tokens/s")
    return ", ".join(parts)


def _eta(event: Event, seconds: float) -> str:
    if not event.total or not event.done:
        return ""
    left = seconds * (event.total - event.done) / event.done
    return f"{int(left // 60)}:{int(left % 60):02d} left"


class Reporter:
    """Shows events: as a progress bar on a terminal, as a line every few seconds elsewhere."""

    def __init__(self, quiet: bool) -> None:
        self._quiet = quiet
        self._terminal = not quiet and sys.stderr is not None and sys.stderr.isatty()
        self._bars: Any = None
        self._task: Any = None
        self._stage = ""
        self._begun = self._shown = time.monotonic()

    def __enter__(self) -> Reporter:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Remove the bar from the screen."""
        self._close()

    def _close(self) -> None:
        if self._bars is not None:
            self._bars.stop()
            self._bars = None

    def __call__(self, event: Event) -> None:
        """Show one event."""
        if self._quiet:
            return
        if event.text:
            if self._bars is not None:
                self._bars.console.print(event.text, highlight=False, markup=False)
            else:
                click.echo(event.text, err=True)
            return
        now = time.monotonic()
        if event.stage != self._stage:
            self._close()
            self._stage, self._begun, self._shown = event.stage, now, now
        if self._terminal:
            self._show_bar(event, now - self._begun)
        elif now - self._shown >= EVERY:
            self._shown = now
            share = f"{event.done / event.total:.0%}" if event.total else ""
            parts = [share, _rate(event, now - self._begun), _eta(event, now - self._begun)]
            click.echo(f"{event.stage} {', '.join(part for part in parts if part)}", err=True)

    def _show_bar(self, event: Event, seconds: float) -> None:
        if self._bars is None:
            from rich.console import Console
            from rich.progress import BarColumn, TaskProgressColumn, TextColumn
            from rich.progress import Progress as Bars

            self._bars = Bars(
                TextColumn("{task.description:<8}"),
                BarColumn(),
                TaskProgressColumn(),
                TextColumn("{task.fields[rate]}"),
                console=Console(stderr=True),
                transient=True,
            )
            self._bars.start()
            self._task = self._bars.add_task(event.stage, total=event.total or None, rate="")
        rate = "  ".join(part for part in (_rate(event, seconds), _eta(event, seconds)) if part)
        self._bars.update(self._task, completed=event.done, total=event.total or None, rate=rate)
