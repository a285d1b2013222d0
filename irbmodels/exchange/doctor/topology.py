"""Links and joints of a URDF as a graph of any shape: linear in time, without recursion."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

from .xml import Tag, shown


def end_of(joint: Tag, end: str) -> str:
    """Return the link that ``parent`` or ``child`` of a joint names, empty where there is none."""
    tag = joint.first(end)
    return (tag.get("link") if tag else None) or ""


def bodies_of(
    links: Iterable[str], into: Mapping[str, Sequence[Tag]]
) -> tuple[dict[str, str], dict[str, str]]:
    """Root of each link, and the top link of the rigid body that it belongs to.

    Links of a circle have neither.
    """
    below: dict[str, list[tuple[str, bool]]] = defaultdict(list)
    for child, joints in into.items():
        below[end_of(joints[0], "parent")].append((child, joints[0].get("type") == "fixed"))
    roots = {name: name for name in links if name not in into}
    bodies, waiting = dict(roots), list(roots)
    while waiting:
        parent = waiting.pop()
        for child, fixed in below.get(parent, ()):
            roots[child], bodies[child] = roots[parent], bodies[parent] if fixed else child
            waiting.append(child)
    return roots, bodies


def circles(above: Mapping[str, str]) -> Iterator[list[str]]:
    """Every circle of a map from names to names, each once, in linear time."""
    seen: dict[str, str] = {}  # from which start a name was reached first
    for start in above:
        name, path = start, []
        while name in above and name not in seen:
            seen[name] = start
            path.append(name)
            name = above[name]
        if path and seen.get(name) == start:
            yield path[path.index(name) :]


def path_of(names: Sequence[str]) -> str:
    """Return a circle of names as one short text that ends where it began."""
    words = [shown(name, 30) for name in (*names[:4], names[0])]
    return " -> ".join(words if len(names) <= 4 else [*words[:4], "...", words[4]])
