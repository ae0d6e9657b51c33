"""Folders that are written to without a JVM."""

import errno
import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from groundswell.errors import StorageFailed
from groundswell.format.target import open_target


def test_of_two_writers_one_creates_a_file(tmp_path: Path) -> None:
    target = open_target(tmp_path)
    with ThreadPoolExecutor(2) as rivals:
        for number in range(50):
            name = f"{number}.json"
            made = [rivals.submit(target.put_new, name, content) for content in (b"a", b"b")]
            won = [
                content for content, each in zip((b"a", b"b"), made, strict=True) if each.result()
            ]
            assert won == [(tmp_path / name).read_bytes()]


def test_a_file_system_without_hard_links_is_refused_by_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def link(*_: object) -> None:  # as FAT and many FUSE file systems answer
        raise OSError(errno.EPERM, os.strerror(errno.EPERM))

    monkeypatch.setattr(os, "link", link)
    target = open_target(tmp_path)
    with pytest.raises(StorageFailed, match=r"owner\.json by a hard link: Operation not perm"):
        target.put_new("owner.json", b"mine")
    assert list(tmp_path.iterdir()) == [], "nothing stays"
    target.put("other.json", b"one writer alone needs no link")
