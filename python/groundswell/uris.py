"""What the URI of a location may hold. Pure."""

from __future__ import annotations

import re

from groundswell.errors import ConfigurationError

_BUCKETS = ("s3", "s3a", "s3n")


def check_no_password(location: str) -> None:
    """Refuses a location with a password in it: it would be in logs, plans and errors.

    Args:
        location: a path, or a URI as ``s3a://bucket/folder`` or ``abfss://container@account/folder``.

    Raises:
        ConfigurationError: with the way round; the password is not in the message.
    """
    scheme, found, rest = location.partition("://")
    authority = re.split(r"[/?#]", rest, maxsplit=1)[0]
    user, at, _ = authority.rpartition("@")
    # of a bucket's name nothing has a colon; a secret key may have a slash
    if found and (":" in user if at else scheme.lower() in _BUCKETS and ":" in authority):
        raise ConfigurationError(
            f"the location {scheme}://*** has a password in it, which logs would show. Give it to "
            "Hadoop, as spark.hadoop.fs.s3a.secret.key or by a credential provider; a reader "
            "without a JVM takes AWS_SECRET_ACCESS_KEY of the environment"
        )
