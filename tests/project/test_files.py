"""Reading text, and writing files entirely or not at all."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import irbmodels as irb
from irbmodels import rapid
from irbmodels.files import read_text, replacing
from irbmodels.robot.collision import read_srdf


def write(path, text="new"):
    with replacing(path) as temporary:
        temporary.write_text(text)


def test_a_new_file_has_the_mode_that_the_process_gives(tmp_path):
    """A plain open and ours let the same people read."""
    (tmp_path / "plain").write_text("")
    write(tmp_path / "ours")
    assert (tmp_path / "ours").stat().st_mode == (tmp_path / "plain").stat().st_mode


def test_a_replaced_file_keeps_its_mode(tmp_path):
    """What was private stays private."""
    path = tmp_path / "private.csv"
    path.write_text("old")
    path.chmod(0o600)
    write(path)
    assert (path.read_text(), path.stat().st_mode & 0o777) == ("new", 0o600)


def test_a_link_stays_a_link(tmp_path):
    """The file that a link points to is replaced, not the link."""
    (tmp_path / "target").write_text("old")
    (tmp_path / "link").symlink_to(tmp_path / "target")
    write(tmp_path / "link")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "target").read_text() == "new"


def test_a_pipe_is_refused(tmp_path):
    """What is there and no file is never replaced by one."""
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(irb.FileError, match="is a device or pipe"):
        write(tmp_path / "pipe")
    assert (tmp_path / "pipe").is_fifo()


def test_a_failure_leaves_the_old_file_and_nothing_else(tmp_path):
    """The block raises: what stood there stands there, alone."""
    (tmp_path / "file").write_text("old")

    def fail():
        with replacing(tmp_path / "file") as temporary:
            temporary.write_text("half")
            raise KeyError

    with pytest.raises(KeyError):
        fail()
    assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [("file", "old")]


READERS = {  # what reads a text of each kind
    "a.urdf": irb.from_urdf,
    "a.sdf": irb.from_file,
    "a.xml": irb.from_file,
    "a.mod": lambda path: rapid.read_file(path),
    "a.csv": lambda path: irb.open_motion(path, irb.load("irb1600")),
    "tool.yaml": irb.load_tool,
    "overlay.yaml": lambda path: irb.load("irb1600", overlays=[path]),
    "set.yaml": lambda path: irb.load("irb1600", parameters=str(path)),
    "a.srdf": read_srdf,
}


@pytest.mark.parametrize("name", READERS)
@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be"])
def test_utf_16_is_named(tmp_path, name, encoding):
    """Text as Windows writes it, with its mark or without, is called what it is, whatever it
    holds.
    """
    (tmp_path / name).write_bytes("<robot/> t: 1\n".encode(encoding))
    with pytest.raises(irb.FileError, match=rf"{name}: is text in UTF-16; save it in UTF-8"):
        READERS[name](tmp_path / name)


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="only Unix has a device without end")
def test_a_device_without_end_is_not_read():
    """One line, and no memory filled."""
    with pytest.raises(irb.FileError, match="/dev/zero: is a device, not a file"):
        read_text("/dev/zero")


@pytest.mark.parametrize("name", ["a.urdf", "tool.yaml", "a.srdf"])
def test_a_byte_that_is_no_utf_8_is_named(tmp_path, name):
    """A degree sign of Windows in a file that must be UTF-8: where it is."""
    (tmp_path / name).write_bytes(b"<robot/>\xb0")
    with pytest.raises(
        irb.FileError, match=rf"{name}: byte 9 is not UTF-8; save the file in UTF-8"
    ):
        READERS[name](tmp_path / name)


def test_the_mark_of_utf_8_is_no_text(tmp_path):
    """A URDF and a tool table that an editor of Windows has marked are read, ends of lines
    included.
    """
    urdf = irb.urdf_path("irb1600").read_text(encoding="utf-8")
    (tmp_path / "a.urdf").write_bytes(b"\xef\xbb\xbf" + urdf.replace("\n", "\r\n").encode())
    assert irb.from_urdf(tmp_path / "a.urdf").n == 6
    assert not read_text(tmp_path / "a.urdf").startswith("\ufeff")
    assert "\r" not in read_text(tmp_path / "a.urdf")
