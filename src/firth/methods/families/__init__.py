"""Families of distributions of counts: each a link, a variance, and a deviance.

A family that is imported here is in `FAMILIES`: a new one is a file and a line.
"""

from firth.methods.families.binomial import Binomial as Binomial
from firth.methods.families.clipped import Clipped as Clipped
from firth.methods.families.family import Family as Family
from firth.methods.families.gaussian import Gaussian as Gaussian
from firth.methods.families.negative_binomial import NegativeBinomial as NegativeBinomial
from firth.methods.families.poisson import Multinomial as Multinomial
from firth.methods.families.poisson import Poisson as Poisson
from firth.methods.families.tweedie import Tweedie as Tweedie

FAMILIES: dict[str, type[Family]] = {
    family.name: family
    for family in (Gaussian, Poisson, Tweedie, NegativeBinomial, Multinomial, Binomial)
}
