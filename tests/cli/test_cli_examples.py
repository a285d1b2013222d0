"""The examples in the help of every command run."""

import re
import shlex

import pytest
from command_examples import NOT_RUN, commands, make_files


@pytest.mark.parametrize("name", commands())
def test_examples_run(run, name, tmp_path, monkeypatch):
    """Each as its help shows it, with exit code 0, in a folder with just the files it names; what
    it writes is there.
    """
    if name == "cache clear":
        monkeypatch.setenv("IRBMODELS_CACHE", str(tmp_path / "kernels"))
    monkeypatch.setenv("COLUMNS", "80")
    page = run(*name.split(), "--help")[1]
    assert all(len(line) <= 80 for line in page.splitlines())
    shown = page.partition("\nExamples:\n")[2].replace("\\\n", "")
    examples = [" ".join(line.split()) for line in shown.splitlines()]
    assert examples
    for number, example in enumerate(examples):
        words = shlex.split(example)
        assert words[: 1 + len(name.split())] == ["irbmodels", *name.split()]
        if example in NOT_RUN:
            commands()[name].make_context(name, words[1 + len(name.split()) :])
            continue
        folder = tmp_path / str(number)
        folder.mkdir()
        monkeypatch.chdir(folder)
        make_files(words, folder)
        code, _, err = run(*words[1:])
        assert code == 0, (example, err)
        for output in re.findall(
            r" (?:-o|--output|--save|--report|--figure|--repair|--png) (\S+)", example
        ):
            assert (folder / output).exists(), example
