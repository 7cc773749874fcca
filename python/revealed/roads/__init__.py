"""Roads: from a map and GPS trips to what drivers prefer, and to forecasts of their routes, as frames.

>>> import revealed
>>> city = revealed.roads.city(size=12)
>>> city.network
Network(783 segments, 1239 turns, 9 features, for cars)

It does what `revealed roads` does on the command line, with the same numbers and files. It uses every other subpackage
but `model_free`. Frames with geometry need geopandas: `pip install 'revealed[roads]'`. Begin with `network`.
"""

from __future__ import annotations

from .city import City, city
from .destination import Destination
from .evaluation import Evaluation
from .flows import Flows
from .importing import load, read_edges, read_osm
from .network import Network
from .paths import Paths
from .pictures import Map
from .regions import Regions
from .routes import Routes
from .speeds import Speeds

__all__ = [
    "City",
    "Destination",
    "Evaluation",
    "Flows",
    "Map",
    "Network",
    "Paths",
    "Regions",
    "Routes",
    "Speeds",
    "city",
    "load",
    "read_edges",
    "read_osm",
]
