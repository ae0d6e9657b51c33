"""What Debezium writes into a topic beside the changes of rows. Pure expressions over columns."""

from __future__ import annotations

from pyspark.sql import Column
from pyspark.sql import functions as F


def is_no_change(text: Column) -> Column:
    """Whether a text without ``op`` is one that Debezium writes beside the changes of rows."""
    payload = F.get_json_object(text, "$.payload")
    names = F.json_object_keys(F.coalesce(payload, text))

    def only(*known: str) -> Column:
        others = F.array_except(names, F.array(*map(F.lit, known)))
        return (F.size(names) > 0) & (F.size(others) == 0)

    status = F.get_json_object(F.coalesce(payload, text), "$.status").isin("BEGIN", "END")
    transaction = only("status", "id", "ts_ms", "event_count", "data_collections") & status
    definition = F.array_contains(names, "ddl") & F.array_contains(names, "databaseName")
    tombstone = payload.isNull() & only("schema", "payload") & F.array_contains(names, "payload")
    told = only("ts_ms") | transaction | definition | tombstone
    return text.isNull() | F.coalesce(told, F.lit(False))
