"""Options generated from the parameters of methods, and their help."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar

import click

from firth.errors import FirthError
from firth.papers import paper_of
from firth.parameters import Named, Parameter, former_names, parameters_of
from firth.registry import Registry

F = TypeVar("F", bound=Callable[..., Any])
M = TypeVar("M", bound=Named)

FORMER = "former_"  # the prefix of the internal names of former options


class MethodCommand(click.Command):
    """A command with ``--method``, and an option for each parameter of each method.

    ``--help`` shows the methods and the options of the default method, ``--method NAME --help`` the
    options of the method NAME only.

    Parameters
    ----------
    registry
        The methods.
    default
        The method whose options ``--help`` shows.
    axes
        Whether parameters are axes of a grid, ``NAME=VALUE,...``, and not options.
    """

    def __init__(
        self,
        *args: Any,
        registry: Registry[Any],
        default: str,
        axes: bool = False,
        **settings: Any,
    ) -> None:
        super().__init__(*args, **settings)
        self._registry, self._default, self._axes = registry, default, axes

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Find the method first, because the options depend on it, then parse the options."""
        ctx.obj = _named(args)
        return super().parse_args(ctx, args)

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        """Return the general options, then those of the chosen method, then all others."""
        params = super().get_params(ctx)
        if self._axes:
            return params
        first = ctx.obj if ctx.obj in self._registry else self._default
        options: dict[str, click.Option] = {}
        for name in (first, *self._registry):
            for option in _options_of(self._registry[name]):
                options.setdefault(str(option.name), option)
        help_option = [params.pop()] if params and params[-1].name == "help" else []
        return [*params, *options.values(), *help_option]

    def format_help(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the help of the command, or of the method given as ``--method``."""
        if ctx.obj in self._registry:
            self._format_method(ctx, formatter, ctx.obj)
        else:
            super().format_help(ctx, formatter)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the general options, the methods, and the options of the default method."""
        general = [one for one in super().get_params(ctx) if isinstance(one, click.Option)]
        records = [record for option in general if (record := option.get_help_record(ctx))]
        with formatter.section("Options"):
            formatter.write_dl(records)
        with formatter.section("Methods"):
            formatter.write_dl([*self._methods()])
        self._format_parameters(formatter, self._default)
        formatter.write_paragraph()
        formatter.write_text(f"{ctx.command_path} --method NAME --help describes other methods.")

    def _methods(self) -> Iterator[tuple[str, str]]:
        for alias, name in self._registry.aliases.items():
            yield alias, f"Another name of {name}."
        for name, method in self._registry.items():
            paper = f" ({paper_of(method.paper).short})" if method.paper else ""
            yield name, f"{method.summary.rstrip('.')}{paper}."

    def _format_method(self, ctx: click.Context, formatter: click.HelpFormatter, name: str) -> None:
        method = self._registry[name]
        pieces = " ".join(self.collect_usage_pieces(ctx)[1:])
        formatter.write_usage(ctx.command_path, f"--method {name} [OPTIONS] {pieces}")
        formatter.write_paragraph()
        with formatter.indentation():
            formatter.write_text(method.summary)
            if method.paper:
                formatter.write_paragraph()
                formatter.write_text(f"{paper_of(method.paper).citation}.")
        self._format_parameters(formatter, name)
        formatter.write_paragraph()
        formatter.write_text(f"{ctx.command_path} --help lists the general options.")

    def _format_parameters(self, formatter: click.HelpFormatter, name: str) -> None:
        method = self._registry[name]
        kind = "Parameters for --grid" if self._axes else "Options"
        also = "" if method.name == name else f" ({method.name})"
        with formatter.section(f"{kind} of --method {name}{also}"):
            records = [_record(known, self._axes) for known in parameters_of(method)]
            formatter.write_dl(records)


def method_option(registry: Registry[Any], **settings: Any) -> Callable[[F], F]:
    """Add ``--method``."""
    return click.option("--method", type=_MethodName(registry), metavar="NAME", **settings)


class _MethodName(click.ParamType):  # type: ignore[type-arg]
    """A name in a registry, looked up when the command runs."""

    name = "name"

    def __init__(self, registry: Registry[Any]) -> None:
        self._registry = registry

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Check that the registry has the name."""
        if value not in self._registry:
            names = ", ".join(map(repr, self._registry.names))
            self.fail(f"{value!r} is not one of {names}.", param, ctx)
        return str(value)


def method_of(registry: Registry[M], name: str, settings: dict[str, Any]) -> M:
    """Make a method from the given options; raise for options that it does not have."""
    method = registry[name]
    known = {parameter.name: parameter for parameter in parameters_of(method)}
    given = _renamed(method, {name: text for name, text in settings.items() if text is not None})
    for option in given:
        if option not in known:
            shown = f"--{option.removeprefix(FORMER).replace('_', '-')}"
            has = ", ".join(sorted(parameter.option for parameter in known.values()))
            raise click.UsageError(f"{shown} is not an option of --method {name}, which has {has}.")
    values = {option: _value(known[option], text) for option, text in given.items()}
    return method(**values)


def _value(parameter: Parameter, text: Any) -> Any:
    """Parse the text of an option; the value of a flag is returned as it is."""
    if not isinstance(text, str):
        return text
    try:
        return parameter.parse(text)
    except FirthError as error:
        reason = error.marked.removeprefix(f"`{parameter.name}` ")
        raise click.BadParameter(f"{reason}.", param_hint=repr(parameter.option)) from None


def _renamed(method: type[Named], given: dict[str, Any]) -> dict[str, Any]:
    """Replace former names of options by the present ones, with a warning."""
    for old, new in former_names(method).items():
        text = given.pop(FORMER + old, None)
        if text is not None:
            click.echo(f"firth: warning: --{old} is deprecated: use --{new}", err=True)
            given.setdefault(new, text)
    return given


def _named(args: Sequence[str]) -> str | None:
    """Return the last value of ``--method``."""
    found = None
    for place, word in enumerate(args):
        if word == "--":
            break
        if word == "--method" and place + 1 < len(args):
            found = args[place + 1]
        elif word.startswith("--method="):
            found = word.partition("=")[2]
    return found


def _options_of(method: type[Named]) -> Iterator[click.Option]:
    """Make an option for each parameter; its text is parsed once the method is known."""
    for parameter in parameters_of(method):
        option = parameter.option
        if parameter.kind is bool:
            yield click.Option([f"{option}/--no-{option[2:]}"], default=None)
        else:
            yield click.Option([option], type=str, help=_help(parameter))
    for old in former_names(method):
        option = f"--{old.replace('_', '-')}"
        yield click.Option([option, FORMER + old], type=str, hidden=True)


def _record(parameter: Parameter, axes: bool) -> tuple[str, str]:
    if axes:
        return parameter.name, _help(parameter)
    if parameter.kind is bool:
        return f"{parameter.option} / --no-{parameter.option[2:]}", _help(parameter)
    return f"{parameter.option} {_metavar(parameter)}", _help(parameter)


def _metavar(parameter: Parameter) -> str:
    """Return the placeholder of the value, as click shows it for its types."""
    number = {int: ["INTEGER"], float: ["FLOAT"]}.get(parameter.kind, [])
    words = [*number, *parameter.choices] or ["TEXT"]
    return words[0] if len(words) == 1 else f"[{'|'.join(words)}]"


def _help(parameter: Parameter) -> str:
    limits = f"; {parameter.range}" if parameter.is_limited else ""
    return f"{parameter.meaning}  [default: {parameter.shown_default}{limits}]"
