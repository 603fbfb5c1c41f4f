"""A file is written whole or not at all."""

from __future__ import annotations

import errno
import os
import stat
import threading
import time
import zipfile

import pytest

from deabench.cli import main
from deabench.utils import files
from deabench.utils.files import read_contents, write_whole


def test_it_writes_text_as_utf8_and_bytes_as_they_are(tmp_path) -> None:
    path = tmp_path / "a.txt"
    assert write_whole(path, "θ = 1\r\n") is None
    assert path.read_bytes() == "θ = 1\r\n".encode()
    write_whole(str(path), b"\x00\xff")
    assert path.read_bytes() == b"\x00\xff"
    assert os.listdir(tmp_path) == ["a.txt"]


def test_it_has_the_rights_that_a_new_file_has(tmp_path) -> None:
    (tmp_path / "plain").write_text("")
    write_whole(tmp_path / "whole", "")
    assert stat.S_IMODE((tmp_path / "whole").stat().st_mode) == stat.S_IMODE(
        (tmp_path / "plain").stat().st_mode
    )


def test_a_missing_folder_is_refused(tmp_path, refused) -> None:
    path = tmp_path / "no" / "a.csv"
    with refused(
        f"cannot write '{path}': No such file or directory; name a folder that exists and is "
        "writable"
    ):
        write_whole(path, "x")
    assert os.listdir(tmp_path) == []


def test_a_folder_that_is_a_file_is_refused(tmp_path, refused) -> None:
    (tmp_path / "file").write_text("old")
    path = tmp_path / "file" / "a.csv"
    with refused(
        f"cannot write '{path}': Not a directory; name a folder that exists and is writable"
    ):
        write_whole(path, "x")


def test_a_folder_without_the_right_to_write_is_refused(tmp_path, refused, monkeypatch) -> None:
    """As the system says it: a superuser, whom the tests may run as, is stopped by no mode."""

    def denied(*args: object, **kwargs: object) -> None:
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))

    monkeypatch.setattr("deabench.utils.files.os.open", denied)
    path = tmp_path / "a.csv"
    with refused(
        f"cannot write '{path}': Permission denied; name a folder that exists and is writable"
    ):
        write_whole(path, "x")


def test_a_target_that_cannot_be_replaced_leaves_nothing_behind(tmp_path, refused) -> None:
    path = tmp_path / "folder"
    path.mkdir()
    with refused(f"cannot write '{path}': Is a directory; nothing was written"):
        write_whole(path, "x")
    assert os.listdir(tmp_path) == ["folder"]


@pytest.mark.parametrize("step", ["write", "rename"])
def test_a_full_disk_leaves_the_old_file_as_it_was(tmp_path, refused, monkeypatch, step) -> None:
    path = tmp_path / "a.csv"
    path.write_text("old")

    def full(*args: object, **kwargs: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    class Full:
        def __init__(self, handle: int, mode: str) -> None:
            self.handle = handle

        def __enter__(self) -> Full:
            return self

        def __exit__(self, *args: object) -> None:
            os.close(self.handle)

        def write(self, data: bytes) -> None:
            os.write(self.handle, data[:1])
            full()

    if step == "write":
        monkeypatch.setattr("deabench.utils.files.os.fdopen", Full)
    else:
        monkeypatch.setattr("deabench.utils.files.os.replace", full)
    with refused(f"cannot write '{path}': No space left on device; nothing was written"):
        write_whole(path, "new")
    monkeypatch.undo()
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == ["a.csv"]


def test_a_device_a_fifo_and_a_link_are_written_through(tmp_path):
    """What is there stays what it is: /dev/null a device, a FIFO a FIFO, a link a link to the file
    that is written.
    """
    import os
    import stat

    write_whole("/dev/null", "gone")
    assert stat.S_ISCHR(os.stat("/dev/null").st_mode)
    fifo, received = tmp_path / "fifo", []
    os.mkfifo(fifo)
    reader = threading.Thread(target=lambda: received.append(fifo.read_text()))
    reader.start()
    write_whole(fifo, "through " * 20_000)
    reader.join(10)
    assert received == ["through " * 20_000]
    assert stat.S_ISFIFO(os.stat(fifo).st_mode)
    (tmp_path / "link").symlink_to("real.csv")
    write_whole(tmp_path / "link", "a")
    write_whole(tmp_path / "link", "b")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real.csv").read_text() == "b"


def test_a_full_device_is_said(refused):
    with refused(
        "cannot write '/dev/full': No space left on device; name a folder that exists and is "
        "writable"
    ):
        write_whole("/dev/full", "a")


def test_compressed_files_are_inflated_within_bounds(tmp_path, refused):
    import bz2
    import gzip
    import zipfile

    from deabench.utils.files import decompress

    for name, pack in (("a.gz", gzip.compress), ("a.bz2", bz2.compress)):
        path = tmp_path / name
        path.write_bytes(pack(bytes(5_000_000)))
        assert decompress(path).read() == bytes(5_000_000)
        with refused(
            f"'{path}' inflates to more than 1000000 bytes; unpack it, and check its content"
        ):
            decompress(path, max_bytes=1_000_000)
    empty_archive = tmp_path / "none.zip"
    empty_archive.write_text("no archive")
    with refused(f"'{empty_archive}' is not a .zip file: File is not a zip file"):
        decompress(empty_archive)
    with zipfile.ZipFile(tmp_path / "two.zip", "w") as archive:
        archive.writestr("a", "1")
        archive.writestr("b", "2")
    with refused(f"'{tmp_path / 'two.zip'}' holds 2 files; give an archive of one, or unpack it"):
        decompress(tmp_path / "two.zip")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_a_pipe_is_read_where_somebody_writes_and_refused_where_nobody_does(
    tmp_path, monkeypatch, capsys
):
    """In pieces and late, as `<(command)` gives it; by the commands too, which waited for ever."""
    table = "classifier,TPR,TNR\n" + "".join(
        f"{name},0.{k}1,0.{9 - k}3\n" for k, name in enumerate("abcdefg", start=1)
    )
    fifo = tmp_path / "pipe.csv"
    os.mkfifo(fifo)

    def write():
        with open(fifo, "w") as stream:
            for chunk in (table[:20], table[20:]):
                time.sleep(0.1)
                stream.write(chunk)
                stream.flush()

    for read in (
        lambda: read_contents(fifo).decode() == table,
        lambda: main(["rank", str(fifo), "--format", "csv"]) == 0,
        lambda: main(["compare", str(fifo)]) in (0, 1),
    ):
        writer = threading.Thread(target=write)
        writer.start()
        assert read()
        writer.join()
    monkeypatch.setattr("deabench.utils.files.PATIENCE", 0.2)
    capsys.readouterr()
    for command in ("rank", "compare", "metrics"):
        assert main([command, str(fifo)]) == 1
        assert capsys.readouterr().err == (
            f"deabench: nothing writes to the pipe '{fifo}' (waited 0.2 s); start the writer, or "
            "give a file\n"
        )


def test_one_zipped_file_and_a_lost_one(tmp_path):
    with zipfile.ZipFile(tmp_path / "one.zip", "w") as archive:
        archive.writestr("table.csv", "hello")
    assert files.decompress(tmp_path / "one.zip").read() == b"hello"
    # A file that is not there is no damaged archive.
    with pytest.raises(FileNotFoundError):
        files.decompress(tmp_path / "lost.gz")


def test_devices_and_links_that_lead_nowhere_are_no_sources(tmp_path):
    (tmp_path / "a.csv").write_text("x")
    assert files.find_overwritten(os.devnull, [os.devnull]) is None
    (tmp_path / "dangling.csv").symlink_to(tmp_path / "gone")
    pattern = str(tmp_path / "*.csv")
    assert files.find_overwritten(tmp_path / "a.csv", [pattern]) == pattern
    assert files.find_overwritten(tmp_path / "b.csv", [pattern]) is None


def test_only_a_file_is_replaced(tmp_path, refused) -> None:
    with (
        refused(f"cannot write '{tmp_path}': it is no file that can be replaced; name another"),
        files.replace_file(tmp_path),
    ):
        pass
    path = tmp_path / "picture.pdf"
    with (
        refused(f"cannot write '{path}': No space left on device; nothing was written"),
        files.replace_file(path),
    ):
        raise OSError(errno.ENOSPC, "No space left on device")
    assert os.listdir(tmp_path) == []


def test_a_pipe_whose_reader_has_gone_is_named(tmp_path, refused) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = threading.Thread(target=lambda: open(pipe, "rb").close())
    reader.start()
    with refused(
        f"cannot write '{pipe}': its reader has gone; nothing reads what is written there"
    ):
        write_whole(pipe, bytes(10_000_000))
    reader.join()
