import ast

import structure
from structure import (
    IDENTIFICATION,
    PACKAGE,
    ROOMS,
    arrows,
    between,
    circles,
    floors,
    modules,
    nodes,
    room,
)


def test_rooms_import_only_downwards():
    """No room imports from one after it; nothing but the rooms stands in the package."""
    assert {room(name) for name in modules()} == set(ROOMS)
    pairs = between(arrows(), room)
    assert [pair for pair in pairs if ROOMS.index(pair[1]) > ROOMS.index(pair[0])] == []


def test_identification_imports_only_downwards():
    known = [
        name for name in modules() if name.startswith("identification.") and name.count(".") == 2
    ]
    rooms = between([p for p in arrows() if set(p) <= set(known)], lambda name: name.split(".")[1])
    order = IDENTIFICATION.index
    assert [(one, other) for one, other in rooms if order(other) > order(one)] == []


def test_folders_make_no_circles():
    """A package stands for itself, and so does what lies loose in irbmodels; what a package hands
    on from the folders inside it is no arrow.
    """
    known = modules()

    def folder(name):
        loose = known[name].name == "__init__" or "." not in name
        return name if loose else name.rpartition(".")[0]

    pairs = between([p for p in arrows() if not p[1].startswith(f"{p[0]}.")], folder)
    for circle in circles(pairs):
        assert not {name for name in circle if room(name) in ("rapid", "tasks")}, sorted(circle)


def test_modules_make_no_circles():
    """No module imports itself by way of others, lazily or for type checkers."""
    assert circles(arrows()) == []


NAMED_TUPLE = {"_asdict", "_fields", "_make", "_replace"}


def is_private(name):
    return name.startswith("_") and not name.startswith("__") and name not in NAMED_TUPLE


def test_no_private_name_crosses_a_room():
    """An attribute ``x._y`` is defined in the room that reads it, and no private name is imported
    from another one; of ``self`` and of libraries (``sys._getframe``) anything may be read.
    """
    everywhere = [(name, node) for name, path in modules().items() for _, node in nodes(path)]
    own, libraries = {one: set() for one in ROOMS}, {"self", "cls"}
    for name, node in everywhere:
        match node:
            case (
                ast.FunctionDef(name=defined)
                | ast.ClassDef(name=defined)
                | ast.Name(id=defined, ctx=ast.Store())
                | ast.Attribute(attr=defined, ctx=ast.Store())
            ):
                own[room(name)].add(defined)
            case ast.Import(names=aliases):
                libraries |= {alias.asname or alias.name for alias in aliases}
    for name, node in everywhere:
        match node:
            case ast.Attribute(value=ast.Name(id=owner)) if owner in libraries:
                read = set()
            case ast.Attribute(attr=attribute):
                read = {attribute}
            case ast.ImportFrom(names=aliases):
                read = {alias.name for alias in aliases}
            case _:
                continue
        foreign = {x for x in read if is_private(x)} - own[room(name)]
        assert not foreign, (name, node.lineno, foreign)


def test_the_house_stays_small(capsys):
    """Entries, floors and arrows between rooms, as the script prints them."""
    pairs = between(arrows(), room)
    entries = [path for path in PACKAGE.iterdir() if path.suffix == ".py" or path.is_dir()]
    assert len([path for path in entries if path.name != "__pycache__"]) <= 23
    assert floors(pairs)["scripts"] <= 12
    assert len(pairs) <= 150
    structure.main()
    last = capsys.readouterr().out.splitlines()[-1]
    assert f"12 floors with scripts, {len(pairs)} arrows between rooms, 0 of them upward" in last
