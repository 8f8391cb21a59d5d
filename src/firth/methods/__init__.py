"""Methods: each learns a `Space` of word vectors from counts.

Every method that is imported here is in `METHODS`, and so in the commands, the sweeps and the
documentation: a new one is a file and a line.
"""

import warnings
from typing import Any

from firth.methods.eigenword import SVDNS as SVDNS
from firth.methods.eigenword import EigenWord as EigenWord
from firth.methods.glrm import GLRM as GLRM
from firth.methods.glrm_presets import SGNS as SGNS
from firth.methods.glrm_presets import GloVe as GloVe
from firth.methods.glrm_presets import GloVeNegative as GloVeNegative
from firth.methods.glrm_presets import PoissonModel as PoissonModel
from firth.methods.glrm_presets import SkipGram as SkipGram
from firth.methods.method import Factorisation as Factorisation
from firth.methods.method import Method as Method
from firth.methods.multiview import MultiView as MultiView
from firth.methods.spectral import CCA as CCA
from firth.methods.spectral import PPMI as PPMI
from firth.methods.spectral import SPPMI as SPPMI
from firth.methods.spectral import SVD as SVD
from firth.methods.spectral import LogCounts as LogCounts
from firth.methods.spectral import LogRatio as LogRatio
from firth.methods.spectral import Regression as Regression
from firth.methods.spectral import Spectral as Spectral
from firth.methods.spectral import SqrtCounts as SqrtCounts
from firth.methods.weighted import Weighted as Weighted
from firth.registry import Registry

METHODS = Registry[Method](default="weighted")
METHODS.register_all([*globals().values()], Method)
register = METHODS.register

_FORMER = {"Default": LogRatio, "Log": LogCounts, "Sqrt": SqrtCounts}


def __getattr__(name: str) -> Any:
    """Return a method by its former name, with a warning."""
    if name not in _FORMER:
        raise AttributeError(f"module 'firth.methods' has no attribute {name!r}")
    found = _FORMER[name]
    warnings.warn(
        f"firth.methods.{name} is deprecated: use firth.methods.{found.__name__}",
        DeprecationWarning,
        stacklevel=2,
    )
    return found
