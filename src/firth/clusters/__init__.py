"""Word clusters: trees of words whose neighbours are alike."""

from firth.clusters.brown import BrownClusters
from firth.clusters.hierarchy import Hierarchy
from firth.clusters.spectral import SpectralClusters

__all__ = ["BrownClusters", "Hierarchy", "SpectralClusters"]
