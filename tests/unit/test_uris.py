"""Locations with a password in them are refused, and the password is not in the message."""

from __future__ import annotations

import pytest

from groundswell.errors import ConfigurationError
from groundswell.format.folder import open_folder
from groundswell.uris import check_no_password


@pytest.mark.parametrize(
    "location",
    [
        "s3a://MINE:s3cret@bucket/folder",
        "S3://MINE:s3cret@bucket",
        "s3n://MINE:s3/cret+of@bucket/folder",  # secret keys have slashes, too
        "hdfs://user:s3cret@name-node:8020/folder",
        "sftp://user:p@s3cret@host/folder",
    ],
)
def test_a_password_is_refused_and_not_shown(location: str) -> None:
    with pytest.raises(ConfigurationError, match="has a password in it") as raised:
        open_folder(location)
    assert not any(part in str(raised.value) for part in ("s3cret", "cret+of", "MINE", "bucket"))


@pytest.mark.parametrize(
    "location",
    [
        "/data/a:b@c/folder",
        "C:/data/a@b",
        "file:///data/a:b@c",
        "s3a://bucket/a:b@c",
        "hdfs://name-node:8020/user@home",
        "abfss://container@account.dfs.core.windows.net/folder",
        "gs://bucket/folder",
    ],
)
def test_what_only_looks_like_one_is_taken(location: str) -> None:
    check_no_password(location)
