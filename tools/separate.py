"""An environment with a core of its own, which borrows all other packages from this one."""

from __future__ import annotations

import subprocess
import sys
import sysconfig
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def python_of(home: Path) -> Path:
    """Return the interpreter of an environment."""
    return home / "venv" / "bin" / "python"


def install(home: Path, *settings: str) -> Path:
    """Install the package, built with the settings, into the environment; return its interpreter.

    Parameters
    ----------
    home
        A folder under ``build``.
    settings
        Of scikit-build-core, as ``cmake.define.NAME=VALUE``.
    """
    python = python_of(home)
    if not python.exists():
        venv.create(home / "venv", with_pip=False)
    site = home / "venv" / "lib" / Path(sysconfig.get_path("purelib")).parent.name / "site-packages"
    (site / "borrowed.pth").write_text(sysconfig.get_path("purelib") + "\n")
    options = [part for setting in settings for part in ("-C", setting)]
    subprocess.run(
        [
            *(sys.executable, "-m", "pip", "--python", python, "install", "--quiet"),
            *("--disable-pip-version-check", "--no-build-isolation", "--no-deps", "-e", ROOT),
            *("-C", f"build-dir={home / 'core'}", *options),
        ],
        check=True,
    )
    return python
