"""Folders of other file systems are read as local ones are."""

import io
from pathlib import Path

import pytest
from pyarrow import fs

from groundswell import errors
from groundswell.format import Folder, LocalFolder, Store, open_folder
from groundswell.format.arrow import ArrowFolder, _bounded, _short

FIXTURE = Path(__file__).resolve().parents[2] / "fixtures" / "format-v1"


@pytest.fixture
def folder() -> Folder:
    return ArrowFolder(fs.LocalFileSystem(), str(FIXTURE), "test://fixture")


def test_the_same_rows(folder: Folder) -> None:
    local = Store(LocalFolder(FIXTURE)).version()
    remote = Store(folder).version()
    assert remote.manifest.tables == local.manifest.tables
    for table in local.manifest.tables:
        assert list(remote.scan(table.name)) == list(local.scan(table.name))


def test_names_and_bytes(folder: Folder) -> None:
    local = LocalFolder(FIXTURE)
    assert folder.names() == local.names()
    assert folder.child("..").folders() == local.child("..").folders()
    name = local.names()[0]
    assert folder.length(name) == local.length(name)
    assert folder.whole(name) == local.whole(name)
    assert folder.read(name, 3, 5) == local.read(name, 3, 5)
    assert folder.child("nowhere").names() == folder.child("nowhere").folders() == []


def test_what_is_missing_or_cut_short_is_named(folder: Folder) -> None:
    name = folder.names()[0]
    with pytest.raises(errors.VersionUnavailable, match="test://fixture/gone is missing"):
        folder.length("gone")
    with pytest.raises(errors.VersionUnavailable, match="test://fixture/gone is missing"):
        folder.whole("gone")
    with pytest.raises(errors.VersionUnavailable, match="test://fixture/gone is missing"):
        folder.read("gone", 0, 1)
    for offset in (folder.length(name), folder.length(name) + 9):
        with pytest.raises(errors.Corruption, match=f"test://fixture/{name} is cut short"):
            folder.read(name, offset, 4)


def test_a_uri_of_pyarrow_is_opened(tmp_path: Path) -> None:
    assert open_folder(f"file://{FIXTURE}").names() == LocalFolder(FIXTURE).names()
    assert open_folder("mock:///nowhere").names() == []


def test_an_unknown_scheme_is_refused() -> None:
    with pytest.raises(errors.InvalidArgument, match=r"xyz://a/b: .*(fsspec|Spark)"):
        open_folder("xyz://a/b")


def test_what_pyarrow_does_not_know_fsspec_opens() -> None:
    import fsspec

    files = fsspec.filesystem("memory")
    for path in FIXTURE.iterdir():
        files.pipe(f"/fixture/{path.name}", path.read_bytes())
    folder = open_folder("memory://fixture")
    assert folder.names() == LocalFolder(FIXTURE).names()
    local = Store(LocalFolder(FIXTURE)).version()
    assert Store(folder).version().manifest.tables == local.manifest.tables


def test_google_s_client_gives_up_after_a_minute() -> None:
    assert _bounded("gs://b/p") == "gs://b/p?retry_limit_seconds=60"
    assert _bounded("gs://b/p?x=1") == "gs://b/p?x=1&retry_limit_seconds=60"
    for uri in ("gs://b/p?retry_limit_seconds=5", "hdfs://h/p", "memory://p"):
        assert _bounded(uri) == uri


@pytest.mark.parametrize("attempt", ["first", "again: pyarrow's own message is another"])
def test_hdfs_without_native_libraries_says_what_to_set(
    attempt: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("ARROW_LIBHDFS_DIR", "HADOOP_HOME", "JAVA_HOME"):
        monkeypatch.setenv(name, str(tmp_path))
    with pytest.raises(errors.StorageFailed) as raised:
        open_folder("hdfs://127.0.0.1:1/state")
    message = str(raised.value)
    assert "cannot open hdfs://127.0.0.1:1/state: pyarrow found no" in message
    assert "ARROW_LIBHDFS_DIR" in message and "CLASSPATH" in message
    assert "\n" not in message and len(message) < 500  # pyarrow's own has 10,000 characters


def test_each_missing_library_has_its_own_advice() -> None:
    assert "JAVA_HOME" in _short("Unable to load libjvm\ndlopen(x) failed")
    hdfs = _short("Unable to load libhdfs: ./libhdfs.so: cannot open shared object file")
    assert "ARROW_LIBHDFS_DIR" in hdfs and "JAVA_HOME" not in hdfs
    assert _short("HDFS connection failed") == "HDFS connection failed"


class Away:
    """A file system whose node is away for some calls."""

    def __init__(self, times: int) -> None:
        self.left = times

    def open_input_stream(self, path: str) -> io.BytesIO:
        self.left -= 1
        return self.failing(path) if self.left >= 0 else io.BytesIO(b"there")

    def failing(self, path: str) -> io.BytesIO:
        raise OSError(f"{path}: connection refused")


class Mistaken(Away):
    """One that sends its error in the place of a file's bytes."""

    def failing(self, path: str) -> io.BytesIO:
        return io.BytesIO(b'{"RemoteException":{"exception":"EOFException"}}')


def test_an_error_in_the_place_of_a_file_is_no_file() -> None:
    assert ArrowFolder(Mistaken(2), "/a", "hdfs://h/a", (0, 0)).whole("c") == b"there"
    with pytest.raises(errors.StorageFailed, match=r"hdfs://h/a/c: .*EOFException"):
        ArrowFolder(Mistaken(3), "/a", "hdfs://h/a", (0, 0)).whole("c")


def test_a_node_that_is_away_is_asked_again_so_often() -> None:
    assert ArrowFolder(Away(2), "/a", "hdfs://h/a", (0, 0)).child("b").whole("c") == b"there"
    with pytest.raises(errors.StorageFailed, match=r"hdfs://h/a/c: .*refused"):
        ArrowFolder(Away(3), "/a", "hdfs://h/a", (0, 0)).whole("c")
