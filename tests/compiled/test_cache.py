import hashlib
import logging
import os
import re
import shutil
import subprocess
import sys
import tempfile
from ast import literal_eval
from functools import cache as remembered
from pathlib import Path

import numpy as np
import pytest
from machine_code import text_of

import irbmodels as irb
from irbmodels.compiled import cache, kernels, machine
from irbmodels.compiled.llvm_entry import COLUMNS
from irbmodels.compiled.machine import compile_object, function, host_target
from irbmodels.compiled.trace import Trace
from irbmodels.errors import MissingExtra

pytest.importorskip("llvmlite")

POSIX = pytest.mark.skipif(os.name != "posix", reason="permissions are those of POSIX")
ONE_STATE = np.full((1, 1), 2.0)


@remembered
def object_of(number):
    """Return the object file of a kernel that adds a number, and what it is called with."""
    trace = Trace()
    (x,) = trace.input("x", 1)
    program = trace.program("adds", {"y": ((1,), [x + number])})
    code = compile_object(text_of(program, COLUMNS, host_target()), host_target())
    return code, cache.Signature((), program.inputs, (("y", (1,)),))


def forget():
    """Make this process forget its kernels, as another process would not know them."""
    cache._codes.clear()
    cache._refused.clear()


@pytest.fixture
def folder(tmp_path, monkeypatch, caplog):
    """Return a folder for kernels that is not there yet; none of this process's are known."""
    before, refused = dict(cache._codes), set(cache._refused)
    forget()
    caplog.set_level(logging.INFO, "irbmodels")
    monkeypatch.setenv(cache.FOLDER, str(tmp_path / "kernels"))
    yield tmp_path / "kernels"
    forget()
    cache._codes.update(before)
    cache._refused.update(refused)


def ask(key="one", number=1.0):
    """Return what a kernel that adds a number says to 2."""
    code = cache.kernel_code(key, f"the kernel {key}", lambda: object_of(number))
    assert cache.is_ready(key)
    assert code.signature == object_of(number)[1]
    result = np.empty((1, 1))
    assert function(code.address, (), np.dtype(float))(ONE_STATE, result)
    return result[0, 0]


def compiled(caplog):
    """Return how many kernels were compiled since the last call, and forget all."""
    count = sum(record.getMessage().startswith("compiled ") for record in caplog.records)
    caplog.clear()
    forget()
    return count


def entries(folder):
    return sorted(path.name for path in folder.iterdir())


def kept(folder):
    (place,) = folder.iterdir()
    return place


# --- kept


def test_a_kernel_is_compiled_once(folder, caplog):
    """The first process compiles it and says where it is kept; later ones find it, silently; what
    was asked for differs.
    """
    assert not cache.is_ready("one")
    assert ask() == 3.0
    (record,) = caplog.records
    assert record.levelno == logging.INFO
    assert re.fullmatch(
        rf"compiled the kernel one in \d+\.\d\d s \(kept in {re.escape(str(folder))}\)",
        record.getMessage(),
    )
    assert re.fullmatch("kernel_[0-9a-f]{24}", kept(folder).name)
    assert compiled(caplog) == 1
    stamp = kept(folder).stat()
    assert cache.is_ready("one")
    assert ask() == 3.0
    forget()
    assert cache.kernel_code("one", "", pytest.fail), "it is not compiled again"
    assert not caplog.records
    assert kept(folder).stat().st_mtime_ns == stamp.st_mtime_ns
    assert kept(folder).stat().st_ino == stamp.st_ino
    assert ask("two", 5.0) == 7.0
    assert ask() == 3.0
    assert len(entries(folder)) == 2


def test_within_a_process_the_code_is_the_same(folder, caplog):
    """A second robot of the same structure gets the same machine code, even when its file is
    gone.
    """
    first = cache.kernel_code("one", "one", lambda: object_of(1.0))
    shutil.rmtree(folder)
    assert cache.is_ready("one")
    assert cache.kernel_code("one", "one", lambda: object_of(2.0)) is first
    assert len(caplog.records) == 1


def test_the_file_is_private(folder):
    """Nobody else can write the folder or the kernel."""
    ask()
    if os.name == "posix":
        assert folder.stat().st_mode & 0o777 == 0o700
        assert kept(folder).stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("part", range(5))
def test_other_surroundings_have_other_kernels(folder, caplog, monkeypatch, part):
    """Other sources of ours, another llvmlite, system, processor or Python compile their own, and
    leave this one's alone.
    """
    ask()
    compiled(caplog)
    environment = list(literal_eval(cache.environment_key()))
    assert len(environment) == 5
    environment[part] = ["other", environment[part]]
    monkeypatch.setattr(cache, "environment_key", lambda: repr(environment))
    assert not cache.is_ready("one")
    assert ask(number=10.0) == 12.0
    assert compiled(caplog) == 1
    assert len(entries(folder)) == 2
    monkeypatch.undo()
    monkeypatch.setenv(cache.FOLDER, str(folder))
    assert ask() == 3.0
    assert "compiled" not in caplog.text


def test_surroundings_tell_sources_apart(monkeypatch, tmp_path):
    """One changed byte in any module that writes kernels changes what they are kept under; so do
    llvmlite's version and the instruction set.
    """
    environment = cache.environment_key()
    _, _, system, target, head = literal_eval(environment)
    assert system.startswith(sys.platform)
    assert target == host_target().name
    assert head == object.__basicsize__
    package = Path(cache.__file__).parents[1]
    for room in ("compiled", "model"):
        shutil.copytree(
            package / room, tmp_path / room, ignore=shutil.ignore_patterns("__pycache__")
        )
    monkeypatch.setattr(cache, "__file__", str(tmp_path / "compiled" / "cache.py"))
    assert cache.environment_key.__wrapped__() == environment
    writers = [
        f"compiled/{name}.py"
        for name in (
            *("llvm_math", "llvm_writer", "llvm_entry", "llvm_loops", "machine", "program"),
            *("symbolic", "spatial", "queries", "trace", "cache"),
        )
    ]
    for name in (*writers, "model/mechanism.py"):
        text = (tmp_path / name).read_text(encoding="utf-8")
        (tmp_path / name).write_text(text + "\n", encoding="utf-8")
        assert cache.environment_key.__wrapped__() != environment, name
        (tmp_path / name).write_text(text, encoding="utf-8")
    (tmp_path / "model" / "limits.py").write_text("", encoding="utf-8")
    assert cache.environment_key.__wrapped__() == environment
    (tmp_path / "_version.py").write_text("another", encoding="utf-8")
    spec = type("Spec", (), {"origin": str(tmp_path / "__init__.py")})
    with monkeypatch.context() as patch:
        patch.setattr(cache.importlib.util, "find_spec", lambda _: spec)
        assert cache.environment_key.__wrapped__() != environment
    other = next(t for t in machine.TARGETS.values() if t != host_target())
    monkeypatch.setattr(cache, "host_target", lambda: other)
    assert cache.environment_key.__wrapped__() != environment


def test_without_the_extra(monkeypatch):
    """Without llvmlite kernels are refused with the name of the extra."""
    monkeypatch.setattr(cache.importlib.util, "find_spec", lambda _: None)
    with pytest.raises(MissingExtra, match=r"llvmlite.*fast"):
        cache.environment_key.__wrapped__()


def test_other_constants_share_machine_code(folder, caplog):
    """One address serves every set of constants; each function has its own."""
    trace = Trace()
    (x,) = trace.input("x", 1)
    program = trace.program("adds", {"y": ((1,), [x + trace.constant("c")])})
    made = [
        kernels.Kernel("adds", "key", lambda: program, {"c": number, "unused": 9.0})
        for number in (1.0, 10.0)
    ]
    assert [kernel(ONE_STATE)[0, 0] for kernel in made] == [3.0, 12.0]
    assert [kernel(ONE_STATE)[0, 0] for kernel in made] == [3.0, 12.0]
    assert len(entries(folder)) == compiled(caplog) == 1


# --- broken


def flip(path, place):
    content = bytearray(path.read_bytes())
    content[place] ^= 1 << (place % 8)
    path.write_bytes(content)


def sealed(path, content):
    path.write_bytes(content + hashlib.sha256(content).digest())


def described(path, text):
    sealed(path, text.encode() + len(text).to_bytes(8, "little"))


def in_its_place(path, make):
    path.unlink()
    make(path)


DAMAGE = {
    "empty": lambda path: os.truncate(path, 0),
    "digest of nothing": lambda path: sealed(path, b""),
    "digest alone": lambda path: path.write_bytes(path.read_bytes()[-32:]),
    "zeros": lambda path: path.write_bytes(bytes(path.stat().st_size)),
    "longer": lambda path: path.write_bytes(path.read_bytes() + b"\0"),
    "something before": lambda path: path.write_bytes(b"\0" + path.read_bytes()),
    "twice": lambda path: path.write_bytes(2 * path.read_bytes()),
    "text": lambda path: path.write_text("nothing\n"),
    "sealed, without a description": lambda path: sealed(path, b"x"),
    "sealed, of a length beyond the file": lambda path: sealed(path, b"[]" + b"\xff" * 8),
    "sealed, of length 0": lambda path: described(path, ""),
    "sealed, no list": lambda path: described(path, "5"),
    "sealed, null": lambda path: described(path, "null"),
    "sealed, a short list": lambda path: described(path, "[1, 2]"),
    "sealed, no names": lambda path: described(path, "[1, null, 5, 6, 7]"),
    "sealed, inputs without lengths": lambda path: described(path, '[1, null, [], ["x"], []]'),
    "sealed, no text": lambda path: sealed(path, b"\xff\xfe\x00\x00" + (4).to_bytes(8, "little")),
    "a folder in its place": lambda path: in_its_place(path, Path.mkdir),
    "a link to nothing": lambda path: in_its_place(path, lambda p: p.symlink_to("nowhere")),
    "a link to itself": lambda path: in_its_place(path, lambda p: p.symlink_to(p.name)),
}


@pytest.mark.parametrize("damage", DAMAGE.values(), ids=DAMAGE)
def test_what_is_broken_is_compiled_again(folder, caplog, damage):
    """Damaged files are noticed before anything of them runs; the kernel is compiled anew, and kept
    where that can be done.
    """
    ask()
    compiled(caplog)
    name = kept(folder).name
    damage(kept(folder))
    assert not cache.is_ready("one")
    assert ask() == 3.0
    assert compiled(caplog) == 1
    assert entries(folder) == [name]
    if damage is not DAMAGE["a folder in its place"]:
        assert cache.is_ready("one")
        assert ask() == 3.0
        assert compiled(caplog) == 0


def test_files_cut_short_are_not_ready(folder):
    """A kernel cut at the end of any of its parts, or anywhere else, is no kernel."""
    ask()
    content, place = kept(folder).read_bytes(), kept(folder)
    size = len(content)
    described_bytes = int.from_bytes(content[-40:-32], "little")
    ends = {size - 1, size - 32, size - 31, size - 33, size - 40, size - 40 - described_bytes}
    for end in sorted({*ends, *range(0, 70), *range(70, size, 97)}):
        place.write_bytes(content[:end])
        forget()
        assert not cache.is_ready("one"), end
    place.write_bytes(content)
    assert cache.is_ready("one")


def test_one_bit_anywhere_is_noticed(folder):
    """Of machine code, description, their length or the digest."""
    ask()
    place = kept(folder)
    content = place.read_bytes()
    ends = range(len(content) - 300, len(content), 3)
    for bit in sorted({*range(0, len(content), 131), *ends}):
        flip(place, bit)
        forget()
        assert not cache.is_ready("one"), bit
        place.write_bytes(content)
    assert cache.is_ready("one")


# --- nowhere to write


def test_a_folder_that_cannot_be_made(folder, caplog, monkeypatch):
    """Below a file no folder can be made: the kernel lives in memory, and the log says so, with a
    remedy, once.
    """
    folder.write_text("a file")
    monkeypatch.setenv(cache.FOLDER, str(folder / "below"))
    assert ask() == 3.0
    assert caplog.records[0].levelno == logging.WARNING
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
    not kept, to those who listen closely.
    """
    folder.write_text("a file")
    assert ask() == 3.0
    assert f"{folder} is a file where the folder of kernels should be" in caplog.text
    assert ask("another", 2.0) == 4.0
    assert caplog.messages[-1].endswith("s (not kept)")
    assert [record.levelno for record in caplog.records] == [logging.WARNING, logging.INFO]
    assert folder.read_text() == "a file"


@pytest.mark.skipif(os.name != "posix", reason="lengths of names are those of POSIX")
@pytest.mark.parametrize("name", ["x" * 300, "loop/kernels"], ids=["too long", "loop"])
def test_a_name_that_the_system_refuses(folder, caplog, monkeypatch, name):
    """A name that is too long, or leads into a circle of links, is no place to keep anything."""
    (folder.parent / "loop").symlink_to("loop")
    monkeypatch.setenv(cache.FOLDER, str(folder.parent / name))
    assert not cache.is_ready("one")
    assert ask() == 3.0
    assert "(not kept: " in caplog.text
    assert cache.info() == cache.clear() == (folder.parent / name, 0, 0)


@POSIX
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


@POSIX
@pytest.mark.parametrize("whose", ["the folder", "a kernel in it", "another user", "a link"])
def test_a_kernel_that_others_could_have_written_is_not_run(folder, caplog, monkeypatch, whose):
    """A complete kernel is compiled anew, in memory or in its place, once others could write it."""
    assert ask() == 3.0
    forget()
    place = kept(folder)
    if whose == "another user":
        somebody_else = os.geteuid() + 1
        monkeypatch.setattr(os, "geteuid", lambda: somebody_else)
    elif whose == "a link":
        place.rename(folder.parent / "elsewhere")
        (folder.parent / "elsewhere").chmod(0o666)
        place.symlink_to(folder.parent / "elsewhere")
    else:
        (folder if whose == "the folder" else place).chmod(0o777)
    assert not cache.is_ready("one")
    assert ask() == 3.0
    assert ("not kept" in caplog.text) == (whose in ("the folder", "another user"))
    assert compiled(caplog) == 2
    assert place.is_file()
    assert not place.is_symlink()


def failing(error, when=lambda *_: True):
    def fail(original):
        def instead(*args, **named):
            if when(*args):
                raise OSError(error, os.strerror(error))
            return original(*args, **named)

        return instead

    return fail


class FullDisk:
    """A file on a disk that is full."""

    def __init__(self, descriptor, *_):
        os.close(descriptor)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        return None

    def write(self, _):
        """Refuse."""
        raise OSError(28, os.strerror(28))


@pytest.mark.parametrize(
    ("owner", "name", "instead"),
    [
        (Path, "mkdir", failing(13)),
        (tempfile, "mkstemp", failing(30)),
        (cache, "open", lambda _: FullDisk),
        (os, "replace", failing(13)),
    ],
    ids=["no folder", "read-only", "full", "no renaming"],
)
def test_what_cannot_be_written_is_kept_in_memory(
    folder, caplog, monkeypatch, owner, name, instead
):
    """Wherever writing fails the answer is right, nothing is left behind, and the next process
    tries again.
    """
    monkeypatch.setattr(owner, name, instead(getattr(owner, name, open)), raising=False)
    assert ask() == 3.0
    assert "not kept: nothing can be written" in caplog.text
    assert ask() == 3.0
    assert compiled(caplog) == 1
    assert not folder.exists() or entries(folder) == []
    monkeypatch.undo()
    monkeypatch.setenv(cache.FOLDER, str(folder))
    caplog.set_level(logging.INFO, "irbmodels")
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


@pytest.mark.parametrize("after", ["mkdir", "mkstemp", "replace"])
def test_a_folder_removed_while_a_kernel_is_kept(folder, monkeypatch, after):
    """When the folder vanishes in the middle, the kernel is right nevertheless."""
    owner = {"mkdir": Path, "mkstemp": tempfile, "replace": os}[after]
    original = getattr(owner, after)

    def then_removed(*args, **named):
        result = original(*args, **named)
        shutil.rmtree(folder)
        return result

    monkeypatch.setattr(owner, after, then_removed)
    assert ask() == 3.0
    assert not folder.exists()


def test_another_process_was_first(folder, caplog, monkeypatch):
    """A kernel that another process has put in place meanwhile is replaced by an equal one."""
    original = os.replace

    def second(new, place):
        shutil.copyfile(new, place)
        original(new, place)

    monkeypatch.setattr(os, "replace", second)
    assert ask() == 3.0
    assert f"kept in {folder}" in caplog.text
    assert compiled(caplog) == 1
    assert ask() == 3.0
    assert compiled(caplog) == 0
    assert len(entries(folder)) == 1


def test_a_kernel_replaced_or_removed_while_it_runs(folder):
    """Machine code in use stays what it is when its file is replaced or removed."""
    run = function(
        cache.kernel_code("one", "one", lambda: object_of(1.0)).address, (), np.dtype(float)
    )
    place, result = kept(folder), np.empty((1, 1))
    new = folder / "new"
    new.write_bytes(bytes(place.stat().st_size))
    new.replace(place)
    assert run(ONE_STATE, result)
    assert result[0, 0] == 3.0
    assert not cache.is_ready("two")
    place.unlink()
    assert run(ONE_STATE + 1.0, result)
    assert result[0, 0] == 4.0


@pytest.mark.parametrize("when", ["kept", "found"])
def test_files_that_must_not_be_run_are_loaded_by_llvm(folder, caplog, monkeypatch, when):
    """Where nothing on a disk may be run, its kernels are read and answer all the same."""
    if when == "found":
        ask()
        compiled(caplog)
    loads = []
    monkeypatch.setattr(cache, "map_file", failing(1)(None))
    monkeypatch.setattr(cache, "load", lambda code: loads.append(code) or machine.load(code))
    assert ask() == 3.0
    assert len(loads) == 1
    assert compiled(caplog) == (when == "kept")
    assert ask() == 3.0
    assert compiled(caplog) == 0


def test_what_cannot_be_linked_is_loaded_by_llvm(folder, caplog, monkeypatch):
    """On other systems the object file is kept, and loaded by LLVM."""
    monkeypatch.setattr(cache, "link", lambda code: (code, None))
    monkeypatch.setattr(cache, "map_file", pytest.fail)
    assert ask() == 3.0
    assert kept(folder).read_bytes().startswith(object_of(1.0)[0])
    assert compiled(caplog) == 1
    assert ask() == 3.0
    assert compiled(caplog) == 0


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

    for variable, value in [
        (cache.FOLDER, ""),
        ("XDG_CACHE_HOME", "/of/user"),
        ("XDG_CACHE_HOME", " "),
    ]:
        monkeypatch.setenv(variable, value)
        place = platformdirs.user_cache_dir("irbmodels", appauthor=False)
        assert cache.folder() == Path(place) / "kernels"
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.delenv(cache.FOLDER)
    place = platformdirs.user_cache_dir("irbmodels", appauthor=False)
    assert cache.folder() == Path(place) / "kernels"


def test_info_and_clear(folder, caplog):
    """What is there is counted, unfinished files by their bytes alone; clear removes kernels and
    the unfinished, no more.
    """
    assert cache.info() == (folder, 0, 0)
    assert cache.clear() == (folder, 0, 0)
    ask()
    ask("two")
    (folder / "new_kernel_ab_1cd2e").write_bytes(bytes(1000))
    (folder / f"kernel_{'0' * 24}").write_bytes(b"broken")
    others = [
        folder / name
        for name in (
            *("mine.txt", "kernel_notes.txt", "new_idea.md", "old_kernel_1", "news"),
            *(
                "kernel_0123",
                f"kernel_{'G' * 24}",
                f"kernel_{'0' * 25}",
                "new_kernel_notes_of_mine",
            ),
        )
    ]
    for path in others:
        path.write_text("mine")
    folders = [folder / f"kernel_{'1' * 24}", folder / "new_kernel_abcdefgh"]
    for path in folders:
        path.mkdir()
        (path / "inside").write_text("mine")
    elsewhere = folder.parent / "elsewhere"
    elsewhere.write_text("mine")
    links = [folder / f"kernel_{'2' * 24}", folder / "new_kernel_12345678"]
    for path in links:
        path.symlink_to(elsewhere)
    kept_files = set(folder.iterdir()) - {*others, *folders, *links}
    assert len(kept_files) == 4
    actual = cache.info()
    assert actual == (folder, 3, sum(path.stat().st_size for path in kept_files))
    assert cache.clear() == actual
    assert elsewhere.read_text() == "mine"
    assert set(folder.iterdir()) == {*others, *folders, *links}
    assert cache.info() == (folder, 0, 0)
    assert ask() == 3.0, "it is in this process"
    assert compiled(caplog) == 2
    assert ask() == 3.0
    assert compiled(caplog) == 1
    assert cache.info().kernels == 1


def test_files_that_vanish_while_they_are_counted(folder, monkeypatch):
    """Another process may remove a kernel between listing and asking for its size."""
    ask()
    paths = cache._entries()
    cache.clear()
    monkeypatch.setattr(cache, "_entries", lambda: paths)
    assert cache.info().bytes == 0
    assert cache.clear().bytes == 0


def test_what_an_interrupted_process_left_does_not_matter(folder, caplog):
    """Unfinished files are neither used nor removed by others who compile."""
    folder.mkdir()
    (folder / "new_kernel_12345678").write_bytes(b"half of a kernel")
    assert ask() == 3.0
    assert compiled(caplog) == 1
    assert ask() == 3.0
    assert compiled(caplog) == 0
    assert len(entries(folder)) == 2


@pytest.mark.parametrize("error", [KeyboardInterrupt, RuntimeError])
def test_an_interrupted_compilation_leaves_nothing(folder, caplog, error):
    """When compiling is interrupted, or fails for another reason than the disk, that comes through,
    there is no file, and the next one compiles.
    """

    def interrupted():
        raise error

    with pytest.raises(error):
        cache.kernel_code("one", "one", interrupted)
    assert not folder.exists()
    assert not cache.is_ready("one")
    assert ask() == 3.0
    assert compiled(caplog) == 1


# --- several processes

PROCESS = """
import logging, sys, time
from pathlib import Path
import numpy as np
import irbmodels as irb
logging.basicConfig(format="%(message)s")
logging.getLogger("irbmodels").setLevel(logging.INFO)
robot = irb.load("irb930")
Path(sys.argv[1]).touch()
while not Path(sys.argv[2]).exists():
    time.sleep(0.005)
print(robot.gravity(np.zeros((1000, 4)))[999, 2])
print(*{"llvmlite", "casadi", "numba", "scipy"} & {*sys.modules})
"""


def processes(tmp_path, count):
    """Start processes that ask for one kernel at the same moment; return what they print and what
    they log.
    """
    go = tmp_path / "go"
    go.unlink(missing_ok=True)
    here = [tmp_path / f"here_{i}" for i in range(count)]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
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
    return [(float(out.split("\n")[0]), out.split("\n")[1].split(), err) for out, err in outputs]


def test_processes_that_compile_at_once(folder, tmp_path):
    """Three processes on a cold cache all answer right and leave one kernel; a fourth compiles
    nothing, and loads no compiler.
    """
    weight = irb.load("irb930").gravity(np.zeros(4))[2]
    cold = processes(tmp_path, 3)
    assert [answer for answer, *_ in cold] == pytest.approx([weight] * 3, rel=1e-12)
    logged = [stderr for *_, stderr in cold if stderr]
    assert logged
    for line in logged:
        assert re.fullmatch(
            r"compiled gravity for arrays \(N, n\) in \d+\.\d\d s \(kept in .*\)\n", line
        )
    assert len(entries(folder)) == 1
    assert entries(folder)[0].startswith("kernel_")
    ((answer, modules, stderr),) = processes(tmp_path, 1)
    assert answer == pytest.approx(weight, rel=1e-12)
    assert stderr == ""
    mapped = machine.link(object_of(1.0)[0])[1] is not None
    assert modules == ([] if mapped else ["llvmlite"])
