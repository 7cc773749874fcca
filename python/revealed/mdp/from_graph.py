"""Directed graphs of networkx and rustworkx: nodes are states, and the k-th edge out of a node is its action k."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from ..inputs.columns import Floats, Integers, listed
from ..inputs.numbers import number
from .features import Features

__all__ = ["Graph"]


class Graph:
    """The parts of an MDP that a graph determines."""

    labels: list[Hashable]
    rows: tuple[Integers, Integers, Integers, Floats]
    n_actions: int
    terminal: Integers
    start: Any
    features: Features | None

    def __init__(
        self,
        graph: Any,
        start: Any,
        terminal: Iterable[Hashable] | None,
        state_attributes: Sequence[str],
        edge_attributes: Sequence[str],
    ) -> None:
        for name, names in (("state_attributes", state_attributes), ("edge_attributes", edge_attributes)):
            if isinstance(names, str):
                raise TypeError(f"{name} is one string: give a list, [{names!r}]")
        nodes, edges = _parts(graph)
        if not nodes:
            raise ValueError("the graph has no nodes")
        self.labels = [label for label, _ in nodes]
        index = {label: state for state, label in enumerate(self.labels)}
        source = np.array([index[u] for u, _, _ in edges], dtype=np.int64)
        target = np.array([index[v] for _, v, _ in edges], dtype=np.int64)
        order = np.argsort(source, kind="stable")
        edges = [edges[row] for row in order]
        source, target = source[order], target[order]
        action = np.arange(len(source)) - np.searchsorted(source, source)
        if terminal is None:
            self.terminal = np.setdiff1d(np.arange(len(nodes)), source)
        else:
            self.terminal = np.array(sorted(_node(index, label) for label in listed("terminal", terminal)), dtype=np.int64)
        keep = ~np.isin(source, self.terminal)
        edges = [edge for edge, kept in zip(edges, keep) if kept]
        self.rows = (source[keep], action[keep], target[keep], np.ones(int(keep.sum())))
        self.n_actions = int(action[keep].max()) + 1 if keep.any() else 1
        self.start = _start(start, index, self.terminal)
        self.features = _features(nodes, edges, state_attributes, edge_attributes)


def _start(start: Any, index: dict[Hashable, int], terminal: Integers) -> Any:
    if start is None:
        begin = np.setdiff1d(np.arange(len(index)), terminal)
        if not len(begin):
            raise ValueError("every node is terminal: say where paths start, or give `terminal`")
        return {int(state): 1.0 / len(begin) for state in begin}
    if isinstance(start, Mapping):
        return {_node(index, label): p for label, p in start.items()}
    return _node(index, start)


def _features(nodes: Any, edges: Any, state_attributes: Sequence[str], edge_attributes: Sequence[str]) -> Features | None:
    names = [*state_attributes, *edge_attributes]
    if not names:
        return None
    of_states = [[_attribute(data, name, label) for name in state_attributes] for label, data in nodes]
    of_edges = [[_attribute(data, name, (u, v)) for name in edge_attributes] for u, v, data in edges]
    state, along = np.zeros((len(nodes), len(names))), np.zeros((len(edges), len(names)))
    state[:, : len(state_attributes)] = np.reshape(of_states, (len(nodes), len(state_attributes)))
    along[:, len(state_attributes) :] = np.reshape(of_edges, (len(edges), len(edge_attributes)))
    return Features(state=state if state_attributes else None, transition=along if edge_attributes else None, names=names)


def _parts(graph: Any) -> tuple[list[tuple[Hashable, Any]], list[tuple[Hashable, Hashable, Any]]]:
    """Nodes and edges with their data."""
    if hasattr(graph, "weighted_edge_list") and hasattr(graph, "node_indices"):
        if type(graph).__name__ == "PyGraph":
            raise ValueError("the graph is not directed: give a rustworkx.PyDiGraph")
        return [(node, graph[node]) for node in graph.node_indices()], list(graph.weighted_edge_list())
    if hasattr(graph, "is_directed") and hasattr(graph, "adjacency"):
        if not graph.is_directed():
            raise ValueError("the graph is not directed: give graph.to_directed() if every edge goes both ways")
        return list(graph.nodes(data=True)), list(graph.edges(data=True))
    raise TypeError(f"{type(graph).__name__} is not a graph of networkx or rustworkx")


def _node(index: dict[Hashable, int], label: Hashable) -> int:
    try:
        return index[label]
    except (KeyError, TypeError):  # a list is no label
        raise ValueError(f"the graph has no node {label!r}") from None


def _attribute(data: Any, name: str, place: Any) -> float:
    value = data.get(name) if isinstance(data, Mapping) else getattr(data, name, None)
    if value is None:
        raise ValueError(f"{place!r} has no attribute {name!r}")
    return number(f"{name} of {place!r}", value)
