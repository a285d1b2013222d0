"""Shapes of a tool from tables, put into the URDF of any robot."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

from ..model.mesh_paths import with_mesh_paths
from ..model.tree import Tree
from ..tables.description import describe, robots


def add_tool_shapes(text: str, tree: Tree, tool: Path) -> str:
    """Return a URDF with the shapes of a tool in the link that tools are mounted on.

    Args:
        text: The URDF.
        tree: Its tree.
        tool: Table of the tool.
    """
    carrier = describe(next(iter(robots())))  # any robot: the tool's link is the same
    source = ElementTree.fromstring(
        with_mesh_paths(carrier.urdf(tool=tool), "absolute", carrier.folder)
    )
    colours = {tag.get("name"): tag.findall("color") for tag in source.iterfind("material")}
    document = ElementTree.fromstring(text)
    links = {str(link.get("name")): link for link in document.iterfind("link")}
    mounted = next(name for name in ("tool0", "tcp", max(links, key=tree.frame)) if name in links)
    for kind in ("visual", "collision"):
        for shape in source.iterfind(f"link[@name='tool0']/{kind}"):
            for material in shape.iterfind("material"):
                material.extend(colours[material.get("name")])
                material.set("name", f"tool_{material.get('name')}")
            links[mounted].append(shape)
    return ElementTree.tostring(document, encoding="unicode")
