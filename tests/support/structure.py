"""Rooms of the package, their imports and size; run as a script it prints them."""

import ast
from collections import Counter
from functools import cache
from pathlib import Path

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

PACKAGE = Path(__file__).resolve().parents[2] / "irbmodels"
ROOMS = (  # a room imports only from those before it; "" is the package itself
    *("errors", "version", "checks", "files", "model", "tables", "compiled", "rapid"),
    *("kinematics", "dynamics", "robot", "cad", "trajectory", "simulation", "tasks", "exchange"),
    *("viewer", "control", "identification", "report", "", "robot_descriptions", "cli"),
)
IDENTIFICATION = ("recordings", "fits", "excitation", "friction", "flexible", "validation")
"""Rooms within identification, in the same order."""


def modules():
    """Every module by its dotted name within the package; the package itself is ``""``."""
    names = (path.relative_to(PACKAGE).with_suffix("").parts for path in PACKAGE.rglob("*.py"))
    return {
        ".".join(parts[:-1] if parts[-1] == "__init__" else parts): PACKAGE.joinpath(*parts)
        for parts in names
    }


def room(name):
    """Room of a module."""
    return name.partition(".")[0]


@cache
def nodes(path):
    """Every node of the trees of a module and of its stub, each with its tree's number."""
    files = (path.with_suffix(suffix) for suffix in (".py", ".pyi"))
    trees = [ast.parse(file.read_text(encoding="utf-8")) for file in files if file.is_file()]
    return [(number, node) for number, tree in enumerate(trees) for node in ast.walk(tree)]


def imports(path, known):
    """Modules of the package that one imports, lazily and for type checkers included."""
    package = path.relative_to(PACKAGE).parts[:-1]
    for _, node in nodes(path):
        if isinstance(node, ast.ImportFrom) and node.level:
            above = package[: len(package) - node.level + 1]
            source = [*above, *(node.module.split(".") if node.module else [])]
            for alias in node.names:
                module = ".".join([*source, alias.name])
                yield module if module in known else ".".join(source)


@cache
def arrows():
    """Pairs of modules of which the first imports the second."""
    known = modules()
    return {
        (name, other)
        for name, path in known.items()
        for other in imports(path, known)
        if other != name
    }


def between(pairs, group):
    """Pairs of different groups that pairs of modules make."""
    return {pair for one, other in pairs if len(set(pair := (group(one), group(other)))) == 2}


def circles(pairs):
    """Sets of names that import each other, directly or not."""
    names = sorted({name for pair in pairs for name in pair})
    rows, columns = np.array([[names.index(name) for name in pair] for pair in pairs]).T
    graph = coo_array((np.ones(len(rows)), (rows, columns)), shape=(len(names), len(names)))
    count, labels = connected_components(graph, connection="strong")
    sets = [{names[i] for i in np.flatnonzero(labels == one)} for one in range(count)]
    return [members for members in sets if len(members) > 1]


def floors(pairs):
    """Floor of every room: one above the highest that it imports from, scripts on top."""
    floor = {}
    for name in ROOMS:
        floor[name] = 1 + max((floor[other] for one, other in pairs if one == name), default=0)
    return floor | {"scripts": 1 + max(floor.values())}


def statements():
    """Number of statements of every room."""
    count = Counter()
    for name, path in modules().items():
        count[room(name)] += sum(
            isinstance(node, ast.stmt) for number, node in nodes(path) if number == 0
        )
    return count


def main():
    """Print floors and sizes of the rooms, then the sums."""
    pairs = arrows()
    rooms = between(pairs, room)
    size, floor = statements(), floors(rooms)
    for name in sorted(size, key=lambda name: (floor[name], name)):
        below = sorted(other for one, other in rooms if one == name)
        print(f"{floor[name]:2} {name or '(package)':19}{size[name]:6}  {', '.join(below)}")
    print(
        f"{len(size) - 1} entries and the package, {floor['scripts']} floors with scripts, ", end=""
    )
    upward = sum(ROOMS.index(other) > ROOMS.index(one) for one, other in rooms)
    print(f"{len(rooms)} arrows between rooms, {upward} of them upward, ", end="")
    print(f"{len(circles(pairs))} circles of files, {size.total()} statements")


if __name__ == "__main__":
    main()
