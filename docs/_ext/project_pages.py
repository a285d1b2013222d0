"""Pages of the site that are kept elsewhere in the project, and links that leave the folder docs.

READMEs of urdf/<family> and meshes, CONTRIBUTING.md and CHANGELOG.md are copied to docs/generated
before the build, with their links rewritten; a link to one of them from a page of docs leads to the
copy. The robot of the first page is drawn beside them.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

from sphinx.application import Sphinx
from sphinx.config import Config

import irbmodels as irb

DOCS = Path(__file__).resolve().parents[1]
ROOT = DOCS.parent
LINK = re.compile(r"(?<!!)\[([^\]]*)\]\(([^)#\s]+)(#[^)\s]*)?\)|(!\[[^\]]*\])\(([^)\s]+)\)")


def copies() -> dict[Path, Path]:
    """Files that become pages, and where their copies are."""
    pages = {ROOT / name: name.lower() for name in ("CONTRIBUTING.md", "CHANGELOG.md")}
    pages |= {
        path: f"robots/{path.parent.name}.md" for path in sorted(ROOT.glob("urdf/*/README.md"))
    }
    pages[ROOT / "meshes" / "README.md"] = "meshes.md"
    return {source: DOCS / "generated" / name for source, name in pages.items()}


def rebased(text: str, source: Path, page: Path) -> str:
    """Return a page's text with its links as they are to be from another place.

    Args:
        text: Markdown.
        source: File that the text is from, which its links are relative to.
        page: File that it is to be a page of.
    """
    targets = copies()

    def link(match: re.Match[str]) -> str:
        label, address, anchor, picture, image = match.groups()
        if "://" in (address or image) or (address or image).startswith("mailto:"):
            return match[0]
        target = (source.parent / (address or image)).resolve()
        if picture:
            return f"{picture}({os.path.relpath(target, page.parent)})"
        if target.is_dir() or target == ROOT / "README.md":  # no page of the site
            return label
        target = targets.get(target, target)
        return f"[{label}]({os.path.relpath(target, page.parent)}{anchor or ''})"

    parts = re.split(r"(^ *```.*?^ *```$)", text, flags=re.MULTILINE | re.DOTALL)
    return "".join(part if index % 2 else LINK.sub(link, part) for index, part in enumerate(parts))


def write_copies(app: Sphinx, config: Config) -> None:
    """Write the copies, and keep the time of those that stay as they are."""
    for source, page in copies().items():
        text = rebased(source.read_text(encoding="utf-8"), source, page)
        if not page.is_file() or page.read_text(encoding="utf-8") != text:
            page.parent.mkdir(parents=True, exist_ok=True)
            page.write_text(text, encoding="utf-8")
    robot = irb.load("irb2400", tool="spindle")
    live = DOCS / "generated" / "site" / "live.html"
    live.parent.mkdir(parents=True, exist_ok=True)
    irb.save_page(live, robot, q=robot.from_controller([20, 15, 5, 0, 35, 0]))


def rebase_links(app: Sphinx, name: str, content: list[str]) -> None:
    """Point the links of a page of docs to the copies."""
    page = Path(app.env.doc2path(name))
    if "generated" not in page.parts:
        content[0] = rebased(content[0], page, page)


def setup(app: Sphinx) -> dict[str, bool]:
    """Write the copies at the start, rewrite links as pages are read."""
    app.connect("config-inited", write_copies)
    app.connect("source-read", rebase_links)
    return {"parallel_read_safe": True}
