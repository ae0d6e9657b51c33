"""A session's settings: what SHOW says, and what SET may say."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from groundswell.serve.durations import seconds_of
from groundswell.serve.errors import ServeError
from groundswell.serve.functions import SERVER_VERSION, SERVER_VERSION_NUMBER
from groundswell.serve.pgcatalog import OWNER

REPORTED = {
    "server_version": "server_version",
    "server_encoding": "server_encoding",
    "client_encoding": "client_encoding",
    "application_name": "application_name",
    "in_hot_standby": "in_hot_standby",
    "default_transaction_read_only": "default_transaction_read_only",
    "is_superuser": "is_superuser",
    "session_authorization": "session_authorization",
    "datestyle": "DateStyle",
    "intervalstyle": "IntervalStyle",
    "timezone": "TimeZone",
    "integer_datetimes": "integer_datetimes",
    "standard_conforming_strings": "standard_conforming_strings",
}
"""What a client is told at the start and after each change, by name."""

_FIXED = {
    "server_version": SERVER_VERSION,
    "server_version_num": SERVER_VERSION_NUMBER,
    "server_encoding": "UTF8",
    "client_encoding": "UTF8",
    "in_hot_standby": "on",
    "is_superuser": "off",
    "session_authorization": OWNER,
    "integer_datetimes": "on",
    "standard_conforming_strings": "on",
    "datestyle": "ISO, MDY",
    "intervalstyle": "postgres",
    "bytea_output": "hex",
    "max_identifier_length": "63",
    "max_index_keys": "32",
    "transaction_isolation": "repeatable read",
    "default_transaction_read_only": "on",
    "transaction_read_only": "on",
}
_OPEN = {
    "application_name": "",
    "timezone": "UTC",
    "search_path": "public",
    "statement_timeout": "0",
    "extra_float_digits": "1",
    "lock_timeout": "0",
    "idle_in_transaction_session_timeout": "0",
    "client_min_messages": "notice",
    "default_transaction_isolation": "repeatable read",
    "row_security": "on",
    "jit": "off",
    "default_table_access_method": "heap",
    "synchronous_commit": "on",
}
_MAY_BE = {
    "client_encoding": {"utf8", "utf-8", "unicode"},
    "standard_conforming_strings": {"on", "true", "1"},
    "bytea_output": {"hex"},
    "intervalstyle": {"postgres"},
}
_WITHOUT_EFFECT = set(
    """
    check_function_bodies constraint_exclusion default_table_access_method default_tablespace
    default_transaction_deferrable default_with_oids enable_seqscan enable_indexscan enable_hashjoin
    enable_mergejoin enable_nestloop enable_parallel_hash enable_partition_pruning
    enable_partitionwise_join enable_sort from_collapse_limit geqo join_collapse_limit lc_messages
    lc_monetary lc_numeric lc_time log_min_messages log_statement maintenance_work_mem
    max_parallel_workers max_parallel_workers_per_gather quote_all_identifiers
    session_replication_role temp_buffers transaction_deferrable transaction_timeout work_mem
    xmloption idle_session_timeout tcp_keepalives_idle tcp_keepalives_interval tcp_keepalives_count
    """.split()
)
"""Settings of PostgreSQL's that clients send, and that change nothing here."""


class Settings:
    """The settings of one session.

    Args:
        given: by the client at the start; unknown names are kept as they are.
        check_zone: refuses a time zone that there is not.
    """

    def __init__(self, given: Mapping[str, str], check_zone: Callable[[str], None]) -> None:
        self._check_zone = check_zone
        self._values = {**_FIXED, **_OPEN}
        for name, value in given.items():
            self.set(name, value)
        self._begun = dict(self._values)

    def get(self, name: str) -> str:
        """The value of a setting.

        Raises:
            ServeError: there is none of that name (42704).
        """
        known = name.lower()
        if known not in self._values:
            raise ServeError("42704", f'unrecognized configuration parameter "{name}"')
        return self._values[known]

    def find(self, name: str) -> str | None:
        """The value of a setting; None: there is none of that name."""
        known = name.lower()
        return self._values.get(known, "" if known in _WITHOUT_EFFECT else None)

    def set(self, name: str, value: str | None) -> None:
        """Changes a setting; None: back to the value that the session began with.

        Raises:
            ServeError: it cannot have that value here (22023), or does not change (55P02).
        """
        known = name.lower()
        if value is None:
            if known == "all":
                self._values = dict(self._begun)
            else:
                self._values[known] = self._begun.get(known, _OPEN.get(known, ""))
            return
        if known in _MAY_BE:
            if value.strip().strip("'").lower() not in _MAY_BE[known]:
                raise ServeError(
                    "22023",
                    f'invalid value for parameter "{name}": "{value}"; only '
                    f"{self._values[known]} is available here",
                )
            return
        if known == "datestyle":
            if not value.strip().lower().startswith("iso"):
                raise ServeError("22023", f'DateStyle is ISO here, not "{value}"')
            return
        if known in ("default_transaction_read_only", "transaction_read_only"):
            return
        if known in _FIXED:
            raise ServeError("55P02", f'parameter "{name}" cannot be changed')
        if known == "timezone":
            value = value.strip() or "UTC"
            self._check_zone(value)
        if known == "statement_timeout":
            seconds_of(value)
        if known not in self._values and "." not in known and known not in _WITHOUT_EFFECT:
            raise ServeError("42704", f'unrecognized configuration parameter "{name}"')
        self._values[known] = value

    def all(self) -> list[tuple[str, str]]:
        """Names and values, by name."""
        return sorted(self._values.items())

    @property
    def zone(self) -> str:
        """The time zone."""
        return self._values["timezone"]

    @property
    def timeout(self) -> float | None:
        """Seconds that a statement may take; None: no limit of the session's."""
        return seconds_of(self._values["statement_timeout"]) or None
