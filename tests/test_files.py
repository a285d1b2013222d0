"""Writing files whole or not at all."""

from __future__ import annotations

import os

import pytest

import irbmodels as irb
from irbmodels.files import replacing


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
