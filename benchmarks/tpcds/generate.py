"""Writes TPC-DS's tables as Parquet, and the texts of its 99 queries, by DuckDB's own generator.

Arguments: the folder, the scale factor. It runs in a virtual environment of its own, because the
extension of DuckDB fits one release of DuckDB only.

The generator's smallest tables answer few of the queries: there is one store, and hardly any
customer bought one item in two channels. So the tables are shaped. Dimensions get another number
of rows, facts refer to them, and rows of dimensions get values that a query compares with, those
of one query together. The texts of the queries stay as they are.
"""

from __future__ import annotations

import importlib.util
import itertools
import json
import re
import sys
from pathlib import Path

import duckdb

EXTENSION = "duckdb_extension_tpcds"
KEYS = {
    "call_center": ("cc_call_center_sk",),
    "catalog_page": ("cp_catalog_page_sk",),
    "catalog_returns": ("cr_item_sk", "cr_order_number"),
    "catalog_sales": ("cs_item_sk", "cs_order_number"),
    "customer": ("c_customer_sk",),
    "customer_address": ("ca_address_sk",),
    "customer_demographics": ("cd_demo_sk",),
    "date_dim": ("d_date_sk",),
    "household_demographics": ("hd_demo_sk",),
    "income_band": ("ib_income_band_sk",),
    "inventory": ("inv_date_sk", "inv_item_sk", "inv_warehouse_sk"),
    "item": ("i_item_sk",),
    "promotion": ("p_promo_sk",),
    "reason": ("r_reason_sk",),
    "ship_mode": ("sm_ship_mode_sk",),
    "store": ("s_store_sk",),
    "store_returns": ("sr_item_sk", "sr_ticket_number"),
    "store_sales": ("ss_item_sk", "ss_ticket_number"),
    "time_dim": ("t_time_sk",),
    "warehouse": ("w_warehouse_sk",),
    "web_page": ("wp_web_page_sk",),
    "web_returns": ("wr_item_sk", "wr_order_number"),
    "web_sales": ("ws_item_sk", "ws_order_number"),
    "web_site": ("web_site_sk",),
}
"""Columns that tell the rows of each table apart."""
ROWS = {
    "call_center": 6, "catalog_page": 200, "customer": 200, "customer_address": 200,
    "customer_demographics": 300, "household_demographics": 200, "promotion": 20, "reason": 40,
    "ship_mode": 20, "store": 20, "time_dim": 5000, "warehouse": 5, "web_page": 20, "web_site": 12,
}  # fmt: skip
"""Rows of each dimension at scale factor 0.01; more at larger ones, but for the smallest."""
NAMES = {
    "addr_sk": "customer_address", "call_center_sk": "call_center",
    "catalog_page_sk": "catalog_page", "cdemo_sk": "customer_demographics",
    "customer_sk": "customer", "hdemo_sk": "household_demographics", "promo_sk": "promotion",
    "reason_sk": "reason", "ship_mode_sk": "ship_mode", "store_sk": "store",
    "time_sk": "time_dim", "warehouse_sk": "warehouse", "web_page_sk": "web_page",
    "web_site_sk": "web_site",
}  # fmt: skip
"""Ends of columns that refer to a dimension which gets another number of rows."""
ORDER = {"customer", "call_center", "store", "web_site"}
"""Dimensions of which all rows of an order have one; the others may differ from row to row."""
PREFIXES = {
    "c": "customer", "ca": "customer_address", "cc": "call_center",
    "cd": "customer_demographics", "hd": "household_demographics", "i": "item",
    "p": "promotion", "r": "reason", "s": "store", "sm": "ship_mode", "t": "time_dim",
    "w": "warehouse", "web": "web_site", "wp": "web_page",
}  # fmt: skip
FIRST, LAST = "1998-01-01", "2003-12-31"  # days of facts


_DATE = re.compile(r"'(\d{4}-\d\d-\d\d)'")


def main(folder: str, scale: str) -> None:
    connection = duckdb.connect()
    found = importlib.util.find_spec(EXTENSION)
    assert found is not None and found.submodule_search_locations
    place = Path(found.submodule_search_locations[0])
    connection.execute(f"LOAD '{next(place.rglob('*.duckdb_extension'))}'")
    connection.execute(f"CALL dsdgen(sf={float(scale)})")
    texts = dict(connection.execute("SELECT query_nr, query FROM tpcds_queries()").fetchall())
    rows = {
        name: max(count, round(count * float(scale) / 0.01)) if count >= 200 else count
        for name, count in ROWS.items()
    }
    for name in KEYS:
        _refer(connection, name, rows)
    for name, count in rows.items():
        _resize(connection, name, count)
    for name in KEYS:
        _gather(connection, name, _days(texts))
    connection.execute(f"DELETE FROM date_dim WHERE d_date NOT BETWEEN '{FIRST}' AND '{LAST}'")
    for name, columns in _compared(texts).items():
        _plant(connection, name, columns)
    _meet(connection, texts)
    to = Path(folder)
    to.mkdir(parents=True)
    for name, key in KEYS.items():
        keys = ", ".join(key)
        connection.execute(
            f"COPY (SELECT * FROM {name} WHERE ({keys}) IS NOT NULL QUALIFY row_number() OVER "
            f"(PARTITION BY {keys}) = 1 ORDER BY {keys}) TO '{to / name}.parquet' (FORMAT PARQUET)"
        )
    (to / "queries.json").write_text(json.dumps(texts))


def _columns(connection: duckdb.DuckDBPyConnection, table: str) -> list[str]:
    return [row[0] for row in connection.execute(f"DESCRIBE {table}").fetchall()]


def _refer(connection: duckdb.DuckDBPyConnection, table: str, rows: dict[str, int]) -> None:
    """Has a table refer to the rows that its dimensions will have; nulls stay."""
    key = KEYS[table]
    order = next((k for k in key if k.endswith(("ticket_number", "order_number"))), key[0])
    sets = []
    for column in _columns(connection, table):
        of = next((of for end, of in NAMES.items() if column.endswith("_" + end)), None)
        if of is None or (column in key and table in rows):
            continue
        if rows[of] >= 200:  # it has fewer rows than before: what was one row stays one
            by = column
        else:
            by = order if of in ORDER else " || '-' || ".join(key[:2])
            by = "inv_item_sk" if table == "inventory" else by
        sets.append(
            f"{column} = CASE WHEN {column} IS NULL THEN NULL "
            f"ELSE (1 + hash({by}, '{of}') % {rows[of]})::INTEGER END"
        )
    if sets:
        connection.execute(f"UPDATE {table} SET {', '.join(sets)}")


def _days(texts: dict[int, str]) -> list[str]:
    """Days that queries name, or one in the months that they name."""
    found = set()
    for text in texts.values():
        found |= set(_DATE.findall(text))
        for year, month in itertools.product(
            *(re.findall(rf"{c} = (\d+)", text) for c in ("d_year", "d_moy"))
        ):
            found.add(f"{year}-{int(month):02}-04")
    return sorted(found)


def _meet(connection: duckdb.DuckDBPyConnection, texts: dict[int, str]) -> None:
    """Has a quarter of the addresses lie where a store is, in few towns; inventories vary more."""
    zips = re.findall(r"'(\d{5})'", texts[8])[:4]
    connection.execute(
        f"UPDATE store SET s_zip = ({zips})[(1 + hash(s_store_sk) % {len(zips)})::BIGINT]"
    )
    connection.execute(
        "UPDATE customer_address SET ca_county = s_county, ca_state = s_state, ca_zip = s_zip "
        "FROM store WHERE hash(ca_address_sk, 'near') % 4 = 0 "
        f"AND s_store_sk = 1 + hash(ca_address_sk, 'store') % {ROWS['store']}"
    )
    connection.execute(  # of query 41, which compares four columns at once
        "UPDATE item SET i_category = 'Women', i_color = 'powder', i_units = 'Ounce', "
        "i_size = 'medium' WHERE i_manufact_id BETWEEN 738 AND 778 AND hash(i_item_sk) % 3 > 0"
    )
    connection.execute(
        "UPDATE inventory SET inv_quantity_on_hand = 9 * inv_quantity_on_hand "
        "WHERE hash(inv_item_sk, inv_date_sk) % 8 = 0"
    )


def _gather(connection: duckdb.DuckDBPyConnection, table: str, days: list[str]) -> None:
    """Moves half of a fact table's days to those that queries name, and the week after each."""
    key = KEYS[table]
    if len(key) != 2:
        return
    ends = "sold_date_sk", "returned_date_sk"
    date = next(c for c in _columns(connection, table) if c.endswith(ends))
    connection.execute(
        f"UPDATE {table} SET {date} = d_date_sk + (hash({key[1]}, 'day') % 7)::INTEGER "
        f"FROM date_dim WHERE {date} IS NOT NULL AND hash({key[1]}, 'days') % 2 = 0 "
        f"AND d_date = ({days}::DATE[])[(1 + hash({key[1]}) % {len(days)})::BIGINT]"
    )


def _resize(connection: duckdb.DuckDBPyConnection, table: str, count: int) -> None:
    """Repeats a dimension's rows under other keys, or leaves the last ones out."""
    key = KEYS[table][0]
    name = next((c for c in _columns(connection, table) if re.fullmatch(r"\w+_id", c)), None)
    also = f", left({name}, 12) || lpad(n::VARCHAR, 4, '0') AS {name}" if name else ""
    connection.execute(
        f"CREATE OR REPLACE TABLE {table} AS SELECT t.* EXCLUDE (nth, there) "
        f"REPLACE (n::INTEGER AS {key}{also}) "
        f"FROM range(1, {count + 1}) numbers(n) JOIN (SELECT *, row_number() OVER (ORDER BY "
        f"hash({key})) - 1 AS nth, count(*) OVER () AS there FROM {table}) t "
        f"ON t.nth = (n - 1) % t.there"
    )


_NUMBER = r"-?\d+(?:\.\d+)?"
_SUM = rf"{_NUMBER}(?:\s*\+\s*\d+)?"
_VALUE = rf"(?:'[^']*'|{_NUMBER})"
_COLUMN = r"(?:SUBSTRING\(\s*)?\b({prefixes})_(\w+)(?:\s*,\s*1\s*,\s*\d+\s*\))?"
_COMPARED = re.compile(
    _COLUMN.format(prefixes="|".join(PREFIXES))
    + rf"\s*(?:(?:=|LIKE)\s*({_VALUE})|IN\s*\(\s*({_VALUE}(?:\s*,\s*{_VALUE})*)\s*\)"
    + rf"|BETWEEN\s+({_SUM})\s+AND\s+({_SUM}))",
    re.IGNORECASE,
)


def _compared(texts: dict[int, str]) -> dict[str, dict[int, dict[str, list[str]]]]:
    """The values that each query compares columns of dimensions with: by table, then by query."""
    found: dict[str, dict[int, dict[str, list[str]]]] = {}
    for number, text in texts.items():
        for prefix, rest, one, several, low, high in _COMPARED.findall(text):
            column = f"{prefix}_{rest}".lower()
            if column.endswith("_sk"):
                continue
            if low:
                first, last = (sum(map(float, part.split("+"))) for part in (low, high))
                values = [str(first + i * (last - first) / 4) for i in range(1, 4)]
            else:
                values = [v.replace("%", "") for v in re.findall(_VALUE, one or several)]
            columns = found.setdefault(PREFIXES[prefix.lower()], {}).setdefault(number, {})
            columns.setdefault(column, []).extend(values)
    return found


def _plant(
    connection: duckdb.DuckDBPyConnection, table: str, queries: dict[int, dict[str, list[str]]]
) -> None:
    """Gives most rows of a table the values of some query, so that each query has a few rows."""
    there = set(_columns(connection, table))
    key = KEYS[table][0]
    for i, columns in enumerate(queries.values()):
        sets = [
            f"{c} = ([{', '.join(v)}])[(1 + hash({key}, '{c}') % {len(v)})::BIGINT]"
            for c, v in columns.items()
            if c in there
        ]
        if sets:
            connection.execute(
                f"UPDATE {table} SET {', '.join(sets)} "
                f"WHERE hash({key}) % 8 < 7 AND hash({key}, 'query') % {len(queries)} = {i}"
            )


if __name__ == "__main__":
    main(*sys.argv[1:])
