"""Folders of an S3 bucket, through boto3: credentials, region and endpoint are boto3's to find."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import boto3
from botocore.exceptions import ClientError

from groundswell.errors import Corruption, StorageFailed, VersionUnavailable

MISSING = {"404", "NoSuchKey", "NoSuchBucket", "NotFound"}


class S3Folder:
    """Objects under one prefix.

    Args:
        bucket: the bucket's name.
        prefix: without slashes at its ends; empty for the whole bucket.
        client: a boto3 S3 client; default: a new one from the environment.
    """

    def __init__(self, bucket: str, prefix: str, client: Any = None) -> None:
        self.client = client or boto3.client("s3")
        self.bucket = bucket
        self.prefix = f"{prefix}/" if prefix else ""
        self.location = f"s3://{bucket}/{prefix}"

    def names(self) -> list[str]:
        """Names of the objects directly in it, ascending; none if there is no such folder."""
        keys = [o["Key"] for page in self._pages() for o in page.get("Contents", ())]
        return [key.removeprefix(self.prefix) for key in keys if key != self.prefix]

    def folders(self) -> list[str]:
        """Names of the folders directly in it, ascending."""
        found = [p["Prefix"] for page in self._pages() for p in page.get("CommonPrefixes", ())]
        return [prefix.removeprefix(self.prefix).rstrip("/") for prefix in found]

    def child(self, name: str) -> S3Folder:
        """The folder of that name in it."""
        return S3Folder(self.bucket, f"{self.prefix}{name}", self.client)

    def length(self, name: str) -> int:
        """An object's length; `VersionUnavailable` if it is missing."""
        try:
            head = self.client.head_object(Bucket=self.bucket, Key=self.prefix + name)
        except ClientError as error:
            raise self._failed(name, error) from error
        return int(head["ContentLength"])

    def read(self, name: str, offset: int, length: int) -> bytes:
        """Some bytes; `VersionUnavailable` if the object is missing, `Corruption` if too short."""
        if length == 0:
            return b""
        data = self._get(name, Range=f"bytes={offset}-{offset + length - 1}")
        if len(data) != length:
            raise Corruption(f"{self.location}/{name} is cut short: no {length} bytes at {offset}")
        return data

    def whole(self, name: str) -> bytes:
        """An object's bytes; `VersionUnavailable` if it is missing."""
        return self._get(name)

    def _get(self, name: str, **how: str) -> bytes:
        try:
            found = self.client.get_object(Bucket=self.bucket, Key=self.prefix + name, **how)
            return bytes(found["Body"].read())
        except ClientError as error:
            raise self._failed(name, error) from error

    def _pages(self) -> Iterator[dict[str, Any]]:
        pages = self.client.get_paginator("list_objects_v2")
        try:
            yield from pages.paginate(Bucket=self.bucket, Prefix=self.prefix, Delimiter="/")
        except ClientError as error:
            raise StorageFailed(f"cannot list {self.location}: {error}") from error

    def _failed(self, name: str, error: ClientError) -> Exception:
        code = error.response.get("Error", {}).get("Code", "")
        if code in MISSING:
            return VersionUnavailable(
                f"{self.location}/{name} is missing: it was retired or deleted"
            )
        if code in ("416", "InvalidRange"):
            return Corruption(f"{self.location}/{name} is cut short: {error}")
        return StorageFailed(f"cannot read {self.location}/{name}: {error}")
