"""Counts of segments and turns by revealed and by OSMnx, with every difference explained.

    python benchmarks/osm_peers.py REVEALED FILE.osm.gz [...]

OSMnx reads OpenStreetMap XML into a directed multigraph with an edge for each pair of successive nodes of a way. With
the same selection of roads as revealed (kinds of roads, access, areas), the two must agree except for rules that only
one of them has. These rules are undone here one by one, so that the remaining difference is 0 or a defect.
"""

import gzip
import json
import subprocess
import sys
import tempfile
from pathlib import Path

import networkx as nx
import osmnx

KINDS = {"motorway", "trunk", "primary", "secondary", "tertiary"}
KINDS |= {kind + "_link" for kind in KINDS} | {"residential", "living_street", "unclassified", "road"}
CLOSED = {"no", "private", "agricultural", "forestry", "emergency", "delivery", "military"}
ACCESS = ["motorcar", "motor_vehicle", "vehicle", "access"]
BARRIERS = {"bollard", "block", "jersey_barrier", "log", "debris", "cycle_barrier", "planter"}
OPEN = {"yes", "permissive", "designated"}


def is_road(tags):
    """revealed's selection of ways, implemented independently from OpenStreetMap's wiki."""
    access = next((tags[key] for key in ACCESS if isinstance(tags.get(key), str)), None)
    return tags.get("highway") in KINDS and tags.get("area") != "yes" and access not in CLOSED


def osmnx_graph(path):
    osmnx.settings.useful_tags_way = ["highway", "oneway", "junction", "area", "access", *ACCESS, "oneway:motorcar", "oneway:motor_vehicle"]
    osmnx.settings.useful_tags_node = ["highway", "barrier", *ACCESS]
    osmnx.settings.all_oneway = False
    graph = osmnx.graph_from_xml(path, simplify=False, retain_all=True)
    drop = [(u, v, k) for u, v, k, data in graph.edges(keys=True, data=True) if not is_road(data)]
    graph.remove_edges_from(drop)
    graph.remove_nodes_from(list(nx.isolates(graph)))
    return graph


def turns(graph):
    """The number of pairs of successive edges, without U-turns except at dead ends and barriers."""
    blocked = {node for node, data in graph.nodes(data=True) if data.get("barrier") in BARRIERS
               and next((data[key] for key in ACCESS if isinstance(data.get(key), str)), None) not in OPEN}
    n = 0
    for u, v, _ in graph.edges(keys=True):
        leaving = [w for _, w, _ in graph.out_edges(v, keys=True)]
        back = sum(w == u for w in leaving)
        n += back if v in blocked or back == len(leaving) else len(leaving) - back
    return n


def ours(program, path, *options):
    with tempfile.TemporaryDirectory() as folder:
        run = [program, "roads", "import", path, "-o", str(Path(folder) / "roads.npz"), "--json", *options]
        return json.loads(subprocess.run(run, capture_output=True, text=True, check=True).stdout)


def main():
    program, *files = sys.argv[1:]
    print("| file | | revealed | OSMnx | difference |")
    print("|---|---|---|---|---|")
    for path in files:
        with tempfile.NamedTemporaryFile(suffix=".osm") as plain:
            plain.write(gzip.open(path).read() if path.endswith(".gz") else Path(path).read_bytes())
            plain.flush()
            graph = osmnx_graph(plain.name)
        all_of_it, connected = ours(program, path, "--keep-all"), ours(program, path)
        name = Path(path).name
        rows = [("segments", all_of_it["segments"], graph.number_of_edges()),
                ("turns, including forbidden ones", all_of_it["turns"] + all_of_it["turns_forbidden"], turns(graph)),
                ("forbidden turns", all_of_it["turns_forbidden"], 0)]
        largest = max(nx.strongly_connected_components(graph), key=len)
        theirs = graph.subgraph(largest).number_of_edges()
        rows.append(("segments in the largest connected part", connected["segments"], theirs))
        # OSMnx checks whether nodes can be reached, as if U-turns were possible at every node.
        rows.append(("the same with U-turns everywhere", ours(program, path, "--u-turns")["segments"], theirs))
        for what, mine, theirs in rows:
            print(f"| {name} | {what} | {mine:,} | {theirs:,} | {mine - theirs:+,} |")


if __name__ == "__main__":
    main()
