import doctest
import importlib
import inspect
import pkgutil
import re
from pathlib import Path

from grouped import together

import irbmodels as irb

PAGES = Path(__file__).resolve().parents[2] / "docs" / "reference" / "api"
TEXT = "".join(page.read_text(encoding="utf-8") for page in PAGES.glob("*.rst"))
PACKAGES = {
    module.name: getattr(importlib.import_module(module.name), "__all__", ())
    for module in pkgutil.walk_packages(irb.__path__, "irbmodels.")
    if module.ispkg
}


def public():
    """Public functions, classes and their methods by name; each once."""
    packages = [(irb, irb.__all__)]
    packages += [(importlib.import_module(name), names) for name, names in PACKAGES.items()]
    owners = {getattr(owner, name): name for owner, names in packages for name in names
              if callable(getattr(owner, name))}  # fmt: skip
    found = {inspect.unwrap(thing): name for thing, name in owners.items()}
    for thing, name in owners.items():
        if inspect.isclass(thing):
            for member, value in inspect.getmembers(thing):
                if not member.startswith("_") and callable(value):
                    found.setdefault(inspect.unwrap(value), f"{name}.{member}")
    return {name: thing for thing, name in found.items() if "Example:" in (thing.__doc__ or "")}


EXAMPLES = public()


class SameText(doctest.OutputChecker):
    """Compares without the sign of zeros, which depends on the processor."""

    def check_output(self, want, got, optionflags):
        """Whether a page and a program say the same."""
        want, got = (
            " ".join(re.sub(r"-(0\.(?:0*)(?![\d]))", r"\1", text).split()) for text in (want, got)
        )
        return want == got


@together("name", sorted(EXAMPLES))
def test_examples_of_docstrings_print_what_they_say(name, tmp_path, monkeypatch):
    """Each can be pasted into an empty interpreter."""
    monkeypatch.chdir(tmp_path)
    test = doctest.DocTestParser().get_doctest(
        inspect.getdoc(EXAMPLES[name]), {"__name__": "__main__"}, name, None, None
    )
    lines = []
    failed, _ = doctest.DocTestRunner(SameText(), verbose=False).run(test, out=lines.append)
    assert not failed, "".join(lines)


def test_the_fifty_most_used_have_an_example():
    """Those of the tutorials and of the examples on the pages among them."""
    assert len(EXAMPLES) >= 50
    assert {"load", "Robot.pose", "Robot.inverse_dynamics", "simulate", "read"} <= EXAMPLES.keys()


def test_every_public_name_is_in_the_reference():
    """Names of irbmodels stand on a page, and packages with ``__all__`` are documented whole."""
    documented = set(re.findall(r"irbmodels\.(\w+)$|^- ``(\w+)``", TEXT, flags=re.MULTILINE))
    names = {name for pair in documented for name in pair if name}
    assert set(irb.__all__) - {"__version__"} <= names
    modules = set(re.findall(r"automodule:: (\S+)\n   :members:", TEXT))
    listed = {name for name, public in PACKAGES.items() if public}
    assert modules >= listed - {"irbmodels.viewer"}  # its names are irbmodels' own
    assert set(PACKAGES["irbmodels.viewer"]) - {"LAYERS"} <= names
