"""Word clusters: trees of words whose neighbours are alike.

Every method that is imported here is in `METHODS`, and so in the command and the documentation.
"""

from firth.clusters.brown import BrownClusters as BrownClusters
from firth.clusters.hierarchy import Hierarchy as Hierarchy
from firth.clusters.method import ClusterMethod as ClusterMethod
from firth.clusters.spectral import SpectralClusters as SpectralClusters
from firth.clusters.ward_clusters import WardClusters as WardClusters
from firth.registry import Registry

METHODS = Registry[ClusterMethod]()
METHODS.register_all([*globals().values()], ClusterMethod)
register = METHODS.register
