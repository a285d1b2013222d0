"""Inventories of other sites, for links to what our signatures name.

A site's own inventory has thousands of names, and needs a network at each build. Ours are lists, in
``docs/_inventories``, of a name, its kind and its address, ``$`` for the name.
"""

from __future__ import annotations

import zlib
from pathlib import Path

from sphinx.application import Sphinx
from sphinx.config import Config

DOCS = Path(__file__).resolve().parents[1]
SITES = {
    "python": "https://docs.python.org/3",
    "numpy": "https://numpy.org/doc/stable",
}


def write_inventories(app: Sphinx, config: Config) -> None:
    """Write each list in the form that intersphinx reads, and name it to intersphinx."""
    for site, address in SITES.items():
        lines = (DOCS / "_inventories" / f"{site}.txt").read_text(encoding="utf-8").splitlines()
        entries = (line.split() for line in lines)
        text = "".join(f"{name} {kind} 1 {where} -\n" for name, kind, where in entries)
        target = DOCS / "generated" / "inventories" / f"{site}.inv"
        target.parent.mkdir(parents=True, exist_ok=True)
        head = (
            f"# Sphinx inventory version 2\n# Project: {site}\n# Version:\n"
            "# The remainder of this file is compressed using zlib.\n"
        )
        target.write_bytes(head.encode() + zlib.compress(text.encode()))
        config.intersphinx_mapping[site] = (address, str(target))


def setup(app: Sphinx) -> dict[str, bool]:
    """Write inventories before intersphinx looks for them."""
    app.setup_extension("sphinx.ext.intersphinx")
    app.connect("config-inited", write_inventories, priority=100)
    return {"parallel_read_safe": True}
