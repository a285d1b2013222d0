import json
import logging
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import irbmodels as irb
from irbmodels.compiled import cache
from irbmodels.errors import MissingExtra

pytest.importorskip("casadi")
pytest.importorskip("numba")

SOURCE = """
import numpy as np
from numba import float64, njit


@njit(float64(float64), cache=CACHE)
def rows(x):
    return x + {}
"""
COMPILED = "compiled "


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Return an empty folder for kernels; none of this process's are known."""
    for name in list(sys.modules):
        if name.startswith("kernel_"):
            monkeypatch.delitem(sys.modules, name)
    monkeypatch.setenv(cache.FOLDER, str(tmp_path / "kernels"))
    yield tmp_path / "kernels"
    forget()


def forget():
    """Make this process forget its kernels, as another process would not know them."""
    for name in [name for name in sys.modules if name.startswith("kernel_")]:
        del sys.modules[name]


def ask(key="one", number=1.0):
    """Return what a kernel that adds a number says to 2."""
    module = cache.kernel_module(key, f"the kernel {key}", lambda: SOURCE.format(number))
    assert cache.is_ready(key)
    return module.rows(2.0)


def compiled(caplog):
    """Return how many kernels were compiled since the last call, and forget all."""
    count = sum(record.getMessage().startswith(COMPILED) for record in caplog.records)
    caplog.clear()
    forget()
    return count


def entries(folder):
    return sorted(path.name for path in folder.iterdir())


def kept(folder):
    (place,) = folder.iterdir()
    return place


def code_of(folder, suffix):
    (file,) = kept(folder).rglob(f"*{suffix}")
    return file


# --- kept


def test_a_kernel_is_compiled_once(folder, caplog):
    """The first process compiles it and says where it is kept; later ones find it, silently; what
    was asked for differs.
    """
    assert not cache.is_ready("one")
    assert ask() == 3.0
    (record,) = caplog.records
    assert record.levelno == logging.WARNING
    assert re.fullmatch(
        rf"compiled the kernel one in \d+\.\d s \(kept in {re.escape(str(folder))}\)",
        record.getMessage(),
    )
    assert entries(folder) == [kept(folder).name]
    assert re.fullmatch("kernel_[0-9a-f]{24}", kept(folder).name)
    assert compiled(caplog) == 1
    stamps = {path: path.stat().st_mtime_ns for path in folder.rglob("*.nb?")}
    assert cache.is_ready("one")
    assert ask(number=100.0) == 3.0, "its source is not asked for again"
    assert not caplog.records
    assert {path: path.stat().st_mtime_ns for path in folder.rglob("*.nb?")} == stamps
    assert ask("two", 5.0) == 7.0
    assert ask() == 3.0
    assert len(entries(folder)) == 2


def test_within_a_process_the_module_is_the_same(folder, caplog):
    """A second robot of the same structure gets the same module, even when its files are gone."""
    first = cache.kernel_module("one", "one", lambda: SOURCE.format(1.0))
    shutil.rmtree(folder)
    assert cache.is_ready("one")
    assert cache.kernel_module("one", "one", lambda: SOURCE.format(2.0)) is first
    assert len(caplog.records) == 1


@pytest.mark.parametrize("part", range(5))
def test_other_surroundings_have_other_kernels(folder, caplog, monkeypatch, part):
    """Other sources of ours, another numba, LLVM, Python or processor compile their own, and leave
    this one's alone.
    """
    ask()
    compiled(caplog)
    environment = json.loads(cache.environment_key())
    assert len(environment) == 5
    environment[part] = ["other", environment[part]]
    monkeypatch.setattr(cache, "environment_key", lambda: json.dumps(environment))
    assert not cache.is_ready("one")
    assert ask(number=10.0) == 12.0
    assert compiled(caplog) == 1
    assert len(entries(folder)) == 2
    monkeypatch.undo()
    monkeypatch.setenv(cache.FOLDER, str(folder))
    assert ask() == 3.0
    assert compiled(caplog) == 0


def test_surroundings_tell_sources_apart(monkeypatch, tmp_path):
    """One changed byte in any module that writes kernels changes what they are kept under; so does
    the processor.
    """
    import llvmlite.binding
    import numba

    environment = cache.environment_key()
    assert numba.__version__ in environment
    assert llvmlite.binding.get_host_cpu_name() in environment
    assert (
        "avx" in environment
        or "neon" in environment
        or llvmlite.binding.get_host_cpu_features().flatten() in environment
    )
    assert json.dumps(sys.version) in environment
    package = Path(cache.__file__).parents[1]
    for room in ("compiled", "model"):
        shutil.copytree(
            package / room, tmp_path / room, ignore=shutil.ignore_patterns("__pycache__")
        )
    monkeypatch.setattr(cache, "__file__", str(tmp_path / "compiled" / "cache.py"))
    assert cache.environment_key.__wrapped__() == environment
    writers = [
        f"compiled/{name}.py"
        for name in ("simd_math", "numba_writer", "symbolic", "program", "queries")
    ]
    for name in (*writers, "model/mechanism.py"):
        text = (tmp_path / name).read_text(encoding="utf-8")
        (tmp_path / name).write_text(text + "\n", encoding="utf-8")
        assert cache.environment_key.__wrapped__() != environment, name
        (tmp_path / name).write_text(text, encoding="utf-8")
    (tmp_path / "model" / "limits.py").write_text("", encoding="utf-8")
    assert cache.environment_key.__wrapped__() == environment
    monkeypatch.setattr(llvmlite.binding, "get_host_cpu_name", lambda: "another")
    assert cache.environment_key.__wrapped__() != environment


def test_without_the_extra(monkeypatch):
    """Without numba or casadi kernels are refused with the name of the extra."""
    import importlib.util

    from irbmodels import errors

    real = importlib.util.find_spec
    for missing in ("numba", "casadi"):

        def find(name, *rest, missing=missing):
            return None if name == missing else real(name, *rest)

        monkeypatch.setattr(importlib.util, "find_spec", find)
        monkeypatch.setattr(errors, "find_spec", find, raising=False)
        with pytest.raises(MissingExtra, match=rf"{missing}.*fast"):
            cache.environment_key.__wrapped__()


# --- broken


def emptied(place):
    shutil.rmtree(place)
    return place


def flip(path):
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)


DAMAGE = {
    "machine code cut short": lambda folder: os.truncate(code_of(folder, ".nbc"), 100),
    "machine code empty": lambda folder: os.truncate(code_of(folder, ".nbc"), 0),
    "one bit of machine code": lambda folder: flip(code_of(folder, ".nbc")),
    "index is garbage": lambda folder: code_of(folder, ".nbi").write_bytes(b"garbage"),
    "one bit of the index": lambda folder: flip(code_of(folder, ".nbi")),
    "no machine code": lambda folder: code_of(folder, ".nbc").unlink(),
    "no index": lambda folder: code_of(folder, ".nbi").unlink(),
    "seal empty": lambda folder: os.truncate(kept(folder) / cache.SEAL, 0),
    "seal cut short": lambda folder: os.truncate(kept(folder) / cache.SEAL, 20),
    "seal says nothing": lambda folder: (kept(folder) / cache.SEAL).write_text("{}"),
    "seal of another kind": lambda folder: (kept(folder) / cache.SEAL).write_text("[1]"),
    "seal is no text": lambda folder: (kept(folder) / cache.SEAL).write_bytes(b"\xff\xfe\x00"),
    "no seal": lambda folder: (kept(folder) / cache.SEAL).unlink(),
    "source edited": (
        lambda folder: (kept(folder) / "kernel.py").write_text(
            "CACHE = True\n" + SOURCE.format(7.0)
        )
    ),
    "source does not run": (
        lambda folder: (kept(folder) / "kernel.py").write_text("raise RuntimeError")
    ),
    "no source": lambda folder: (kept(folder) / "kernel.py").unlink(),
    "empty folder": lambda folder: emptied(kept(folder)).mkdir(),
    "a file in its place": lambda folder: emptied(kept(folder)).write_text(""),
}


@pytest.mark.parametrize("damage", DAMAGE.values(), ids=DAMAGE)
def test_what_is_broken_is_compiled_again(folder, caplog, damage):
    """Damaged files are noticed before anything of them runs; the kernel is compiled anew, and kept
    where that can be done.
    """
    ask()
    compiled(caplog)
    name = kept(folder).name
    damage(folder)
    assert not cache.is_ready("one")
    assert ask() == 3.0
    assert compiled(caplog) == 1
    assert entries(folder) == [name]
    if damage is not DAMAGE["a file in its place"]:
        assert cache.is_ready("one")
        assert ask() == 3.0
        assert compiled(caplog) == 0


def test_sealed_nonsense_is_compiled_again(folder, caplog):
    """A folder whose seal fits, but whose module does not run, is compiled again and says so to
    those who listen closely.
    """
    caplog.set_level(logging.INFO)
    ask()
    compiled(caplog)
    place = kept(folder)
    (place / "kernel.py").write_text("raise RuntimeError('nonsense')")
    for file in place.rglob("*.pyc"):
        file.unlink()
    (place / cache.SEAL).write_text(json.dumps(cache._sums(place)))
    assert cache.is_ready("one")
    assert ask() == 3.0
    assert "nonsense" in caplog.text
    assert compiled(caplog) == 1
    assert ask() == 3.0
    assert compiled(caplog) == 0


def test_python_s_own_code_files_are_not_trusted(folder, caplog, monkeypatch):
    """A compiled copy of the source that Python put beside it, and that was changed, is not what
    runs.
    """
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    ask()
    compiled(caplog)
    for file in kept(folder).rglob("*.pyc"):
        content = file.read_bytes()
        changed = content.replace(np.float64(1.0).tobytes(), np.float64(5.0).tobytes())
        file.write_bytes(changed)
    module = cache.kernel_module("one", "one", lambda: SOURCE.format(1.0))
    assert module.rows.py_func(2.0) == 3.0
    assert module.rows(2.0) == 3.0


# --- nowhere to write


def test_a_folder_that_cannot_be_made(folder, caplog, monkeypatch):
    """Below a file no folder can be made: the kernel lives in memory, and the log says so, with a
    remedy, once.
    """
    folder.write_text("a file")
    monkeypatch.setenv(cache.FOLDER, str(folder / "below"))
    assert ask() == 3.0
    why = (
        f"(not kept: {folder} is a file where the folder of kernels should be; remove it, or name a"
        f" folder in {cache.FOLDER})"
    )
    assert why in caplog.text
    assert ask() == 3.0, "from memory"
    assert compiled(caplog) == 1
    assert ask() == 3.0
    assert compiled(caplog) == 1
    assert folder.read_text() == "a file"
    assert cache.info() == (folder / "below", 0, 0)
    assert cache.clear() == (folder / "below", 0, 0)


def test_a_file_in_place_of_the_folder(folder, caplog):
    """A file of the folder's own name is named too; of a second kernel the log says only that it is
    not kept.
    """
    folder.write_text("a file")
    assert ask() == 3.0
    assert f"{folder} is a file where the folder of kernels should be" in caplog.text
    assert ask("another", 2.0) == 4.0
    assert caplog.messages[-1].endswith("s (not kept)")
    assert folder.read_text() == "a file"


@pytest.mark.skipif(os.name != "posix", reason="permissions are those of POSIX")
@pytest.mark.parametrize("mode", [0o770, 0o702, 0o777], ids=oct)
def test_a_folder_that_others_can_write(folder, caplog, mode):
    """Nothing is kept there, the log says why with a remedy; once it is private again it serves."""
    folder.mkdir()
    folder.chmod(mode)
    assert ask() == 3.0
    assert f"(not kept: other users can write in {folder}, and machine code" in caplog.text
    assert f"chmod 700), or name another one in {cache.FOLDER})" in caplog.text
    assert entries(folder) == []
    forget()
    folder.chmod(0o755)
    assert ask() == 3.0
    assert len(entries(folder)) == 1


@pytest.mark.skipif(os.name != "posix", reason="permissions are those of POSIX")
@pytest.mark.parametrize("whose", ["the folder", "a kernel in it", "another user"])
def test_a_kernel_that_others_could_have_written_is_not_run(folder, caplog, monkeypatch, whose):
    """A complete kernel is compiled anew, in memory or in its place, once others could write it."""
    assert ask() == 3.0
    forget()
    if whose == "another user":
        somebody_else = os.geteuid() + 1
        monkeypatch.setattr(os, "geteuid", lambda: somebody_else)
    else:
        (folder if whose == "the folder" else kept(folder)).chmod(0o777)
    assert ask() == 3.0
    assert ("not kept" in caplog.text) == (whose != "a kernel in it")
    assert compiled(caplog) == 2


def failing(error, when=lambda *_: True):
    def fail(original):
        def instead(*args, **named):
            if when(*args):
                raise OSError(error, os.strerror(error))
            return original(*args, **named)

        return instead

    return fail


@pytest.mark.parametrize(
    ("owner", "name", "error", "when"),
    [
        (Path, "mkdir", 13, lambda *_: True),
        (cache.tempfile, "mkdtemp", 30, lambda *_: True),
        (Path, "write_text", 28, lambda path, *_: path.name == "kernel.py"),
        (Path, "write_text", 28, lambda path, *_: path.name == cache.SEAL),
        (Path, "rename", 13, lambda *_: True),
        (os, "replace", 28, lambda old, new, *_: str(new).endswith((".nbi", ".nbc"))),
    ],
    ids=[
        "no folder",
        "read-only",
        "full at the source",
        "full at the seal",
        "no renaming",
        "full at the machine code",
    ],
)
def test_what_cannot_be_written_is_kept_in_memory(
    folder, caplog, monkeypatch, owner, name, error, when
):
    """Wherever writing fails the answer is right, nothing is left behind, and the next process
    tries again.
    """
    monkeypatch.setattr(owner, name, failing(error, when)(getattr(owner, name)))
    assert ask() == 3.0
    assert "not kept: nothing can be written" in caplog.text
    assert ask() == 3.0
    assert compiled(caplog) == 1
    assert not folder.exists() or entries(folder) == []
    monkeypatch.undo()
    monkeypatch.setenv(cache.FOLDER, str(folder))
    assert ask() == 3.0
    assert compiled(caplog) == 1
    assert ask() == 3.0
    assert compiled(caplog) == 0


def test_a_folder_removed_while_it_is_used(folder, caplog):
    """When somebody removes the folder, a process keeps its kernels, and new ones make the folder
    again.
    """
    assert ask() == 3.0
    shutil.rmtree(folder)
    assert ask() == 3.0
    assert ask("two", 2.0) == 4.0
    assert compiled(caplog) == 2
    assert len(entries(folder)) == 1


def test_a_folder_removed_while_compiling(folder, caplog):
    """When the folder vanishes in the middle, the kernel is right nevertheless."""

    def source():
        shutil.rmtree(folder, ignore_errors=True)
        return (
            "import shutil\nif CACHE: shutil.rmtree(__file__.rpartition('new_')[0])\n"
            + SOURCE.format(1.0)
        )

    assert cache.kernel_module("one", "one", source).rows(2.0) == 3.0
    assert "not kept" in caplog.text


def test_another_process_was_first(folder, caplog, monkeypatch):
    """Who finds another's kernel in place when renaming uses its own, and says that it is kept."""
    ask()
    compiled(caplog)
    monkeypatch.setattr(Path, "rename", failing(39)(Path.rename))
    monkeypatch.setattr(
        cache.shutil,
        "rmtree",
        lambda path, **_: None if path.name.startswith("kernel_") else shutil_rmtree(path),
    )
    monkeypatch.setattr(
        cache,
        "_is_sealed",
        lambda place, sealed=cache._is_sealed, asked=[]: (
            asked.append(1) or (len(asked) > 1 and sealed(place))
        ),
    )
    assert cache.kernel_module("one", "one", lambda: SOURCE.format(1.0)).rows(2.0) == 3.0
    assert f"kept in {folder}" in caplog.text
    assert compiled(caplog) == 1


shutil_rmtree = shutil.rmtree


# --- where


@pytest.mark.parametrize("name", ["with spaces in it", "übung-机器人", "a/b/c", "100%s{x}"])
def test_any_name_of_a_folder(tmp_path, folder, caplog, monkeypatch, name):
    """Spaces, letters of any language and folders that are not there yet make no difference, named
    from here or from the root.
    """
    monkeypatch.chdir(tmp_path)
    for named in (name, str(tmp_path / "absolute" / name)):
        monkeypatch.setenv(cache.FOLDER, named)
        assert cache.folder() == Path(named)
        assert ask() == 3.0
        assert compiled(caplog) == 1
        assert ask() == 3.0
        assert compiled(caplog) == 0
        assert cache.info().kernels == 1
        assert kept(tmp_path / named).parent == tmp_path / named


def test_the_users_own_folder(monkeypatch):
    """Without a name kernels are in the user's cache."""
    import platformdirs

    for unnamed in (
        lambda: monkeypatch.delenv(cache.FOLDER),
        lambda: monkeypatch.setenv(cache.FOLDER, ""),
    ):
        unnamed()
        assert (
            cache.folder()
            == Path(platformdirs.user_cache_dir("irbmodels", appauthor=False)) / "kernels"
        )


def test_info_and_clear(folder, caplog):
    """What is there is counted, unfinished folders by their bytes alone; clear removes kernels and
    the unfinished, no more.
    """
    assert cache.info() == (folder, 0, 0)
    assert cache.clear() == (folder, 0, 0)
    ask()
    ask("two")
    unfinished = folder / "new_abc"
    (unfinished / "__pycache__").mkdir(parents=True)
    (unfinished / "__pycache__" / "x.nbc").write_bytes(bytes(1000))
    unsealed = folder / "kernel_0123"
    unsealed.mkdir()
    others = [
        folder / "mine.txt",
        folder / "kernel_notes.txt",
        folder / "new_idea.md",
        folder / "old_kernel_1",
        folder / "news",
    ]
    for path in others:
        if path.suffix:
            path.write_text("mine")
        else:
            path.mkdir()
            (path / "inside").write_text("mine")
    elsewhere = folder.parent / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "precious").write_text("mine")
    (folder / "kernel_link").symlink_to(elsewhere)
    held = [path for path in folder.iterdir() if path not in others and not path.is_symlink()]
    size = sum(file.stat().st_size for path in held for file in path.rglob("*") if file.is_file())
    actual = cache.info()
    assert actual.kernels == 2
    assert actual.folder == folder
    assert size <= actual.bytes <= size + 4
    assert cache.clear() == actual
    assert (elsewhere / "precious").read_text() == "mine"
    (folder / "kernel_link").unlink()
    assert sorted(folder.iterdir()) == sorted(others)
    assert cache.info() == (folder, 0, 0)
    assert ask() == 3.0, "it is in this process"
    assert compiled(caplog) == 2
    assert ask() == 3.0
    assert compiled(caplog) == 1
    assert cache.info().kernels == 1


def test_what_an_interrupted_process_left_does_not_matter(folder, caplog):
    """Unfinished folders are neither used nor removed by others who compile."""
    (folder / "new_stale").mkdir(parents=True)
    (folder / "new_stale" / "kernel.py").write_text("raise RuntimeError")
    assert ask() == 3.0
    assert compiled(caplog) == 1
    assert ask() == 3.0
    assert compiled(caplog) == 0
    assert len(entries(folder)) == 2


def test_an_interrupted_compilation_leaves_nothing(folder):
    """When compiling is interrupted, or fails for another reason than the disk, that comes through,
    and the folder is empty.
    """
    for error in (KeyboardInterrupt, RuntimeError):
        with pytest.raises(error):
            cache.kernel_module("one", "one", lambda error=error: f"raise {error.__name__}")
        assert entries(folder) == []
        assert not cache.is_ready("one")


# --- several processes

PROCESS = """
import sys, time
from pathlib import Path
import numpy as np
import irbmodels as irb
robot = irb.load("irb930")
Path(sys.argv[1]).touch()
while not Path(sys.argv[2]).exists():
    time.sleep(0.005)
print(robot.gravity(np.zeros((1000, 4)))[999, 2])
"""


def processes(tmp_path, count, **more):
    """Start processes that ask for one kernel at the same moment; return what they print and what
    they log.
    """
    go = tmp_path / "go"
    go.unlink(missing_ok=True)
    here = [tmp_path / f"here_{i}" for i in range(count)]
    pipes = {
        "stdout": subprocess.PIPE,
        "stderr": subprocess.PIPE,
        "text": True,
        "env": os.environ | more,
    }
    started = [
        subprocess.Popen([sys.executable, "-c", PROCESS, path, go], **pipes) for path in here
    ]
    while not all(path.exists() for path in here) and all(
        process.poll() is None for process in started
    ):
        pass
    go.touch()
    outputs = [process.communicate(timeout=120) for process in started]
    for path in here:
        path.unlink(missing_ok=True)
    assert [process.returncode for process in started] == [0] * count, outputs
    return outputs


def test_processes_that_compile_at_once(folder, tmp_path):
    """Three processes on a cold cache all answer right and leave one kernel; a fourth compiles
    nothing.
    """
    weight = irb.load("irb930").gravity(np.zeros(4))[2]
    cold = processes(tmp_path, 3)
    assert [float(printed) for printed, _ in cold] == pytest.approx([weight] * 3, rel=1e-12)
    assert all(
        re.fullmatch(r"compiled gravity for arrays in \d+\.\d s \(kept in .*\)\n", stderr)
        for _, stderr in cold
        if stderr
    )
    assert any(stderr for _, stderr in cold)
    assert len(entries(folder)) == 1
    assert entries(folder)[0].startswith("kernel_")
    ((printed, stderr),) = processes(tmp_path, 1)
    assert float(printed) == pytest.approx(weight, rel=1e-12)
    assert stderr == ""


def test_numba_s_own_settings_do_not_scatter_kernels(folder, tmp_path):
    """Where numba is told to keep its code elsewhere, kernels are where ours are, and warm all the
    same.
    """
    elsewhere = tmp_path / "numba"
    for expected in (True, False):
        before = (
            {path: path.stat().st_mtime_ns for path in folder.rglob("*.nb?")}
            if folder.exists()
            else {}
        )
        ((_, stderr),) = processes(tmp_path, 1, NUMBA_CACHE_DIR=str(elsewhere))
        assert bool(stderr) == expected
        after = {path: path.stat().st_mtime_ns for path in folder.rglob("*.nb?")}
        assert after
        assert expected or after == before
    assert not elsewhere.exists()
