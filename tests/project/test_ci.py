"""Files by which a contributor's work is checked and published: they agree with each other and with
make.
"""

import os
import re
import shutil
import subprocess
import tomllib
from pathlib import Path

import yaml
from packaging.specifiers import SpecifierSet

ROOT = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")
WORKFLOWS = {
    path.stem: yaml.safe_load(path.read_text(encoding="utf-8"))
    for path in sorted((ROOT / ".github" / "workflows").glob("*.yml"))
}


def steps(job):
    """Shell lines of a job."""
    return [line.strip() for step in job["steps"] for line in step.get("run", "").splitlines()]


def test_workflows_call_targets_that_make_has():
    """Each make target of a workflow exists, and ci has linters, demo, tests and archives among
    them.
    """
    called = {
        name: {
            line.split()[1]
            for job in flow["jobs"].values()
            for line in steps(job)
            if line.startswith("make ")
        }
        for name, flow in WORKFLOWS.items()
    }
    assert set(called) == {"audit", "ci", "docs", "publish"}
    assert set().union(*called.values()) <= set(re.findall(r"^(\w+):", MAKEFILE, re.MULTILINE))
    assert called["ci"] == {"lint", "demo", "test", "dist"}


def matrix():
    """Systems and Pythons of the tests."""
    return WORKFLOWS["ci"]["jobs"]["test"]["strategy"]["matrix"]


def test_ci_runs_every_python_that_the_package_names_on_both_systems():
    """The matrix is the classifiers, and the lowest is requires-python."""
    named = [
        text.rpartition(" ")[2] for text in PROJECT["classifiers"] if re.search(r":: 3\.\d+$", text)
    ]
    assert matrix()["python"] == named
    assert SpecifierSet(PROJECT["requires-python"]) == SpecifierSet(f">={named[0]}")
    assert {system.partition("-")[0] for system in matrix()["os"]} == {"ubuntu", "macos"}


def test_ci_success_needs_every_other_job():
    """It runs even after a failure, and passes only if all of them did."""
    jobs = WORKFLOWS["ci"]["jobs"]
    last = jobs["ci_success"]
    assert set(last["needs"]) == set(jobs) - {"ci_success"}
    assert last["if"] == "always()"
    assert steps(last)[-1] == f'test "$RESULTS" = "{" ".join(["success"] * len(last["needs"]))}"'


def test_every_action_is_a_commit():
    """A tag of an action can be moved; the version that is meant stands behind."""
    for path in sorted((ROOT / ".github" / "workflows").glob("*.yml")):
        used = re.findall(r"uses: *(.*)", path.read_text(encoding="utf-8"))
        assert used
        for action in used:
            assert re.fullmatch(r"[\w-]+/[\w-]+@[0-9a-f]{40}  # v[\d.]+(: .*)?", action), action


def test_nothing_is_published_that_was_not_checked():
    """Only the last job may ask for an identity; it has the archives that were built and tried."""
    flow = WORKFLOWS["publish"]
    jobs = flow["jobs"]
    assert flow["permissions"] == {}
    rights = {name: job["permissions"] for name, job in jobs.items()}
    assert rights.pop("upload") == {"id-token": "write"}
    assert set(map(str, rights.values())) == {"{'contents': 'read'}"}
    assert set(jobs["upload"]["needs"]) == set(jobs) - {"upload"}
    assert steps(jobs["upload"]) == []  # nothing of ours runs there
    assert "make dist" in "".join(steps(jobs["build"]))
    assert jobs["environments"]["strategy"]["matrix"]["python"] == matrix()["python"]
    used = [step.get("uses", "").partition("@")[0] for step in jobs["upload"]["steps"]]
    assert used == ["actions/download-artifact", "pypa/gh-action-pypi-publish"]


def test_a_tag_is_the_version_that_is_published(tmp_path):
    """The lines of the workflow pass for the version of pyproject.toml that CHANGELOG.md
    describes, and for no other.
    """
    (check,) = (
        step["run"] for step in WORKFLOWS["publish"]["jobs"]["build"]["steps"] if "env" in step
    )
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    version = PROJECT["version"]
    for tag, heading, passes in (
        (f"v{version}", f"## {version}", True),
        (f"v{version}", f"## [{version}] - 2026-11-23", True),
        (f"v{version}", f"## {version}1", False),
        (f"v{version}", "## Unreleased", False),
        (f"v{version}1", f"## {version}1", False),
        ("v", f"## {version}", False),
        ("v2.4", "## 2.4", False),  # of the metadata
    ):
        (tmp_path / "CHANGELOG.md").write_text(f"# Changes\n\n{heading}\n")
        done = subprocess.run(
            ["bash", "-e", "-c", check], cwd=tmp_path, env={**os.environ, "TAG": tag}, check=False
        )
        assert (done.returncode == 0) == passes, (tag, heading)


def test_hooks_of_a_commit_are_the_linters_of_make():
    """The commands of .pre-commit-config.yaml are those of make lint, in the same order."""
    hooks = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text(encoding="utf-8"))["repos"][
        0
    ]["hooks"]
    recipe = re.search(r"^lint:.*\n((?:\t.*\n)+)", MAKEFILE, re.MULTILINE)[1]
    assert [hook["entry"] for hook in hooks] == [
        line.strip().replace("$(BIN)", ".venv/bin") for line in recipe.splitlines()
    ]


def test_citation_is_of_this_version():
    """CITATION.cff has the version and the licence of pyproject.toml."""
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert (citation["version"], citation["license"]) == (PROJECT["version"], PROJECT["license"])


def test_notice_names_every_source_whose_licence_asks_for_it():
    """Each licence of a table other than facts alone, and the repository that it is of."""
    notice = (ROOT / "NOTICE").read_text(encoding="utf-8")
    named = set()
    for path in sorted((ROOT / "urdf").rglob("*.yaml")):
        for source in (
            yaml.safe_load(path.read_text(encoding="utf-8")).get("sources") or {}
        ).values():
            licence = source.get("licence", "facts only")
            if licence != "facts only":
                repository = re.search(
                    r"([\w/.-]+)@[0-9a-f]{7,}|(work-r-labs/robots)", source["ref"]
                )
                named.add((repository[1] or repository[2], licence.partition(" ")[0]))
    assert len(named) > 6
    for repository, licence in named:
        assert re.search(rf"^  {repository}\b.* {licence}", notice, re.MULTILINE), repository


def test_ci_uses_the_rule():
    """.ci/run and the Linux jobs run pytest with --every-test and print the slowest tests."""
    options = WORKFLOWS["ci"]["jobs"]["test"]["env"]["PYTEST_ADDOPTS"]
    for text in ((ROOT / ".ci" / "run").read_text(encoding="utf-8"), options):
        assert "--every-test" in text
        assert "--durations=30" in text


def test_coverage_is_measured_where_it_is_free():
    """One Python measures coverage, the newest, by sys.monitoring: 3.11 has none, and its tracer
    costs 77 % more time.
    """
    environment = WORKFLOWS["ci"]["jobs"]["test"]["env"]
    assert re.findall(
        r"python == '([\d.]+)' && '--cov=irbmodels", environment["PYTEST_ADDOPTS"]
    ) == [matrix()["python"][-1]]
    assert environment["COVERAGE_CORE"] == "sysmon"
