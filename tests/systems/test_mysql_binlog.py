"""What is read of a real MariaDB, without Spark: snapshots, the binlog, and what is refused."""

from __future__ import annotations

import datetime
import random
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest

from groundswell.errors import SourceError, SourceLost
from groundswell.runtime.planning.sources import Size
from groundswell.sources.mysql_reader import BEGIN, MySqlReader
from groundswell.sources.mysql_server import MyPlan, inspect
from groundswell.sources.mysql_types import CHARSETS
from systems.servers import MariaDb


@pytest.fixture
def server(mariadb: MariaDb) -> Iterator[MariaDb]:
    yield mariadb
    for (name,) in mariadb.rows("SHOW TABLES"):
        mariadb.run(f"DROP TABLE `{name}`")


def plan_of(server: MariaDb, *tables: str, **more: Any) -> MyPlan:
    parameters = {"host": "127.0.0.1", "port": server.port, "user": "owner", "database": "shop"}
    return inspected(MyPlan(parameters, password=server.PASSWORD, **more), *tables)


def inspected(wanted: MyPlan, *tables: str) -> MyPlan:
    return inspect(
        wanted, tables, lambda f, t, seen: replace(wanted, flavor=f, tables=t, seen=seen)
    )


class Copy:
    """What a pipeline has of the tables: the newest row of each key."""

    def __init__(self, plan: MyPlan, most: Size = Size()) -> None:  # noqa: B008 - a value
        self.plan = plan
        self.most = most
        self.at: dict[str, Any] = BEGIN
        self.reader = MySqlReader(plan, most)
        self.rows: dict[tuple[int, Any], dict[str, Any]] = {}
        self.barriers: list[int] = []

    def step(self) -> bool:
        """One barrier; False: there is nothing new."""
        end = self.reader.latestOffset(self.at, self.reader.getDefaultReadLimit())
        if end == self.at:
            return False
        count = 0
        for part in self.reader.partitions(self.at, end):
            for batch in self.reader.read(part):
                for tagged in batch.to_pylist():
                    number = tagged["_table"]
                    row = tagged[f"t{number}"]
                    key = number, tuple(row[k] for k in self.plan.tables[number].key)
                    gone = row.pop("_groundswell_delete")
                    self.rows.pop(key, None)
                    if not gone:
                        self.rows[key] = row
                    count += 1
        self.barriers.append(count)
        self.at = end
        return True

    def all(self) -> Copy:
        while self.step():
            pass
        return self

    def table(self, number: int = 0) -> list[tuple[Any, ...]]:
        found = [tuple(row.values()) for (n, _), row in self.rows.items() if n == number]
        return sorted(found, key=repr)


def same(copy: Copy, server: MariaDb, *tables: str) -> None:
    for number, table in enumerate(tables):
        wanted = sorted(server.rows(f"SELECT * FROM {table}"), key=repr)
        assert copy.table(number) == wanted, table


TYPES = {
    "tiny tinyint": [-128, 127],
    "utiny tinyint unsigned": [0, 255],
    "small smallint": [-32768, 32767],
    "usmall smallint unsigned": [65535],
    "medium mediumint": [-8388608, 8388607],
    "umedium mediumint unsigned": [16777215],
    "i int": [-(2**31), 2**31 - 1],
    "ui int unsigned": [2**32 - 1],
    "big bigint": [-(2**63), 2**63 - 1],
    "ubig bigint unsigned": [0, 2**64 - 1],
    "dec1 decimal(10,2)": ["-0.01", "99999999.99", "0"],
    "dec2 decimal(38,30)": ["-12345678.000000000000000000000000000001", "0.5"],
    "dec3 decimal(65,30)": ["12345678901234567890123456789012345.000000000000000000000000000009"],
    "dec4 decimal(9,0)": ["-999999999"],
    "f float": [0.1, -3.4028235e38, 1.17549435e-38, 16777217],
    "d double": [0.1, 1.7976931348623157e308, 5e-324, -2.5],
    "b1 bit(1)": [0, 1],
    "b9 bit(9)": [0, 257, 511],
    "b64 bit(64)": [2**64 - 1],
    "y year": [0, 1901, 2155],
    "day date": ["1000-01-01", "9999-12-31", "0000-00-00"],
    "dt datetime(6)": ["1000-01-01 00:00:00.000001", "9999-12-31 23:59:59.999999", "0000-00-00"],
    "dt0 datetime": ["2026-03-29 02:30:00"],
    "ts timestamp(3)": [
        "1970-01-01 00:00:01.001",
        "2038-01-19 03:14:07.999",
        "2026-10-25 02:30:00",
    ],
    "t time": ["838:59:59", "-838:59:59", "00:00:00"],
    "tf time(6)": ["838:59:58.999999", "-00:00:00.000001", "-838:59:58.9"],
    "t3 time(3)": ["-00:00:01.5", "00:00:59.999"],
    "e enum('a','b''c','')": ["a", "b'c", ""],
    "s set('x','y','z')": ["", "z,x", "x,y,z"],
    "c char(5)": ["a", "", "é😀"],
    "v varchar(300)": ["", "a" * 300, "😀 \t"],
    "l varchar(20) CHARACTER SET latin1": ["é€"],
    "txt mediumtext": ["x" * 70000],
    "bin binary(4)": [b"a\x00", b"\x00\x00\x00\x00", b"\xff" * 4],
    "vb varbinary(300)": [b"", b"\x00\xff" * 150],
    "bl blob": [b"\x00" * 70000],
    "js json": ['{"a": [1, 2.5, null]}'],
}


def test_every_type_is_the_same_in_the_snapshot_and_in_the_binlog(server: MariaDb) -> None:
    columns = ", ".join(f"{each} NULL DEFAULT NULL" for each in TYPES)
    server.run(f"CREATE TABLE wide (id int PRIMARY KEY, {columns})")
    names = [each.split()[0] for each in TYPES]

    def write(first: int) -> None:
        connection = server.connect()
        with connection, connection.cursor() as cursor:
            cursor.execute("SET sql_mode = '', time_zone = '+00:00'")
            cursor.execute("USE shop")
            cursor.execute("INSERT INTO wide (id) VALUES (%s)", [first])  # all null
            for i in range(4):
                values = [given[min(i, len(given) - 1)] for given in TYPES.values()]
                marks = ", ".join(["%s"] * (len(values) + 1))
                listed = ", ".join(["id", *names])
                cursor.execute(
                    f"INSERT INTO wide ({listed}) VALUES ({marks})", [first + i + 1, *values]
                )

    write(0)
    plan = plan_of(server, "wide")
    copy = Copy(plan).all()
    old = {row[0]: row[1:] for row in copy.table()}
    write(100)
    copy.all()
    new = {row[0] - 100: row[1:] for row in copy.table() if row[0] >= 100}
    assert new.keys() == old.keys() == set(range(5))
    for i in old:
        for name, a, b in zip(names, old[i], new[i], strict=True):
            assert a == b, (name, i)
    found = dict(zip(names, zip(*(old[i] for i in range(1, 5)), strict=True), strict=True))
    assert set(old[0]) == {None}
    assert found["ubig"][:2] == (Decimal(0), Decimal(2**64 - 1))
    assert found["dec3"][0] == TYPES["dec3 decimal(65,30)"][0]
    assert found["f"] == (
        0.10000000149011612,
        -3.4028234663852886e38,
        1.1754943508222875e-38,
        2.0**24,
    )
    assert found["d"] == (0.1, 1.7976931348623157e308, 5e-324, -2.5)
    assert found["b1"][:2] == (False, True)
    assert found["b9"][:3] == (0, 257, 511)
    assert found["b64"][0] == Decimal(2**64 - 1)
    assert found["y"][:3] == (0, 1901, 2155)
    assert found["day"][:3] == (datetime.date(1000, 1, 1), datetime.date(9999, 12, 31), None)
    assert found["dt"][1:3] == (datetime.datetime(9999, 12, 31, 23, 59, 59, 999999), None)
    assert found["ts"][0] == datetime.datetime(1970, 1, 1, 0, 0, 1, 1000, datetime.UTC)
    hours = datetime.timedelta(hours=838, minutes=59, seconds=59)
    assert found["t"][:3] == (hours, -hours, datetime.timedelta())
    assert found["e"][:3] == ("a", "b'c", "")
    assert found["s"][:3] == ("", "x,z", "x,y,z")
    assert found["c"][2] == "é😀"
    assert found["l"][0] == "é€"
    assert found["bin"][:3] == (b"a\x00\x00\x00", b"\x00" * 4, b"\xff" * 4)
    assert found["js"][0] == TYPES["js json"][0]
    types = [f.dataType.simpleString() for f in plan.schema["t0"].dataType.fields]
    assert types[:10] == ["int", "tinyint", "smallint", "smallint", "int", "int", "int", "int",
                          "bigint", "bigint"]  # fmt: skip


@pytest.mark.parametrize("seed", range(4))
def test_a_load_in_parts_while_others_write_ends_as_the_tables_are(
    server: MariaDb, seed: int
) -> None:
    print(f"seed {seed}")
    rng = random.Random(seed)
    server.run(
        "CREATE TABLE a (k1 varchar(20), k2 int, v int, PRIMARY KEY (k1, k2))",
        "CREATE TABLE b (id varbinary(8) PRIMARY KEY, v int)",
        "CREATE TABLE c (id enum('x','y','z') PRIMARY KEY, v int)",
    )
    words = ["", "a", "A2", "b", "Zz", "é", "😀", "a "]

    def write() -> None:
        k1, k2, v = rng.choice(words), rng.randrange(9), rng.randrange(99)
        key = "".join(rng.choice("0123456789ABCDEF") for _ in range(2 * rng.randint(1, 2)))
        server.run(
            "BEGIN",
            rng.choice(
                [
                    f"REPLACE INTO a VALUES ('{k1}', {k2}, {v})",
                    f"DELETE FROM a WHERE k2 = {k2} AND v % 2 = 0",
                    f"UPDATE IGNORE a SET k2 = k2 + 1, v = {v} WHERE k1 = '{k1}'",
                ]
            ),
            f"REPLACE INTO b VALUES (x'{key}', {v})",
            f"REPLACE INTO c VALUES ('{rng.choice('xyz')}', {v})",
            rng.choice(["COMMIT", "COMMIT", "ROLLBACK"]),
        )

    for _ in range(60):
        write()
    copy = Copy(plan_of(server, "a", "b", "c", max_rows=rng.randint(1, 9)), Size(rng.randint(1, 9)))
    steps = 0
    while copy.step():
        steps += 1
        assert steps < 400
        if steps < 30:
            write()
        if rng.random() < 0.3:  # as after a restart
            copy.reader = MySqlReader(copy.plan, Size(rng.randint(1, 9)))
    assert steps > 5
    same(copy, server, "a", "b", "c")


def test_a_transaction_is_never_cut_and_a_part_is_read_twice_the_same(server: MariaDb) -> None:
    server.run("CREATE TABLE a (id int PRIMARY KEY, v int)", "CREATE TABLE b LIKE a")
    copy = Copy(plan_of(server, "a", "b", max_rows=3)).all()
    for i in range(4):
        rows = f"VALUES ({2 * i}, 1), ({2 * i + 1}, 1)"
        server.run("BEGIN", f"INSERT INTO a {rows}", f"INSERT INTO b {rows}", "COMMIT")
    copy.barriers.clear()
    before = copy.at
    copy.all()
    assert copy.barriers == [4, 4, 4, 4]
    again = Copy(copy.plan)
    again.at = before
    parts = again.reader.partitions(before, copy.at)
    first = [[batch.to_pylist() for batch in again.reader.read(part)] for part in parts]
    server.run("UPDATE a SET v = 7")
    assert first == [[b.to_pylist() for b in again.reader.read(part)] for part in parts]


def test_a_key_that_changes_is_a_delete_and_an_insert(server: MariaDb) -> None:
    server.run("CREATE TABLE a (id int PRIMARY KEY, v int)", "INSERT INTO a VALUES (1, 1), (2, 2)")
    copy = Copy(plan_of(server, "a")).all()
    server.run("UPDATE a SET id = id + 10 ORDER BY id DESC")
    copy.all()
    same(copy, server, "a")


ENDS = [
    (["TRUNCATE TABLE a"], "was truncated, .*truncate='ignore'"),
    (["/* c */ truncate `shop`.`a`"], "was truncated"),
    (["DROP TABLE a"], "was dropped or renamed"),
    (["RENAME TABLE a TO other"], "was dropped or renamed"),
    (["ALTER TABLE a RENAME other"], "was renamed"),
    (["CREATE OR REPLACE TABLE a (id int PRIMARY KEY, v int)"], "dropped, and recreated"),
    (["ALTER TABLE a DROP COLUMN v", "INSERT INTO a VALUES (9)"], "v is gone"),
    (["ALTER TABLE a MODIFY v bigint", "INSERT INTO a VALUES (9, 9)"], "v has another type"),
    (["ALTER TABLE a ADD w int", "INSERT INTO a VALUES (9, 9, 9)"], "w is new.*new_columns='add'"),
    (
        ["ALTER TABLE a DROP PRIMARY KEY, ADD PRIMARY KEY (id, v)", "INSERT INTO a VALUES (9, 9)"],
        r"the primary key \(id, v\) is another",
    ),
    (
        ["SET binlog_format = STATEMENT", "INSERT INTO a VALUES (9, 9)"],
        "in the binlog as a statement",
    ),
    (
        ["SET binlog_row_image = MINIMAL", "UPDATE a SET v = 3 WHERE id = 1"],
        "binlog_row_image=FULL everywhere",
    ),
]


@pytest.mark.parametrize(("statements", "said"), ENDS, ids=[str(e[0][0])[:30] for e in ENDS])
def test_what_cannot_be_followed_ends_it_by_name(
    server: MariaDb, statements: list[str], said: str
) -> None:
    server.run("CREATE TABLE a (id int PRIMARY KEY, v int)", "INSERT INTO a VALUES (1, 1)")
    copy = Copy(plan_of(server, "a")).all()
    server.run(*statements)
    with pytest.raises(SourceError, match=said):
        copy.all()
    server.run("DROP TABLE IF EXISTS other")


def test_statements_about_other_tables_end_nothing(server: MariaDb) -> None:
    server.run("CREATE TABLE a (id int PRIMARY KEY, v int)", "CREATE TABLE aa (id int, a int)")
    copy = Copy(plan_of(server, "a")).all()
    server.run(
        "TRUNCATE aa",
        "ALTER TABLE aa ADD b int",
        "ALTER TABLE a ADD INDEX i (v)",
        "ALTER TABLE a RENAME INDEX i TO j",
        "DROP TABLE aa",
        "CREATE DATABASE elsewhere",
        "CREATE TABLE elsewhere.a (id int)",
        "TRUNCATE TABLE elsewhere.a",
        "DROP DATABASE elsewhere",
        "INSERT INTO a VALUES (1, 2)",
    )
    copy.all()
    same(copy, server, "a")


def test_truncate_and_new_columns_that_are_let_pass(server: MariaDb) -> None:
    server.run("CREATE TABLE a (id int PRIMARY KEY, v int)", "INSERT INTO a VALUES (1, 1)")
    copy = Copy(plan_of(server, "a", truncate="ignore", new_columns="ignore")).all()
    added = Copy(plan_of(server, "a", truncate="ignore", new_columns="add")).all()
    server.run("TRUNCATE a", "ALTER TABLE a ADD w int", "INSERT INTO a VALUES (2, 2, 2)")
    assert copy.all().table() == [(1, 1), (2, 2)]
    with pytest.raises(SourceError, match=r"has got w.*Start again"):
        added.all()
    again = Copy(plan_of(server, "a", truncate="ignore", new_columns="add"))
    again.at = added.at
    assert again.all().table() == [(2, 2, 2)]
    server.run("ALTER TABLE a ADD x int NOT NULL DEFAULT 5", "INSERT INTO a (id) VALUES (3)")
    last = Copy(plan_of(server, "a", truncate="ignore", new_columns="add"))
    last.at = again.at
    with pytest.raises(
        SourceError, match=r"column x of table .* is new, and rows of before have its default"
    ):
        last.all()


def test_a_binlog_that_was_purged_ends_it_by_name(server: MariaDb) -> None:
    server.run("CREATE TABLE a (id int PRIMARY KEY, v int)")
    copy = Copy(plan_of(server, "a")).all()
    server.run("INSERT INTO a VALUES (1, 1)", "FLUSH BINARY LOGS", "INSERT INTO a VALUES (2, 2)")
    server.run("FLUSH BINARY LOGS")
    ((newest, *_),) = server.rows("SHOW MASTER STATUS")
    server.run(f"PURGE BINARY LOGS TO '{newest}'")
    with pytest.raises(SourceLost, match=r"has given up changes .*new location.*expire"):
        copy.all()


# fmt: off
REFUSED = [
    ("CREATE TABLE a (id int)", "a", "has no primary key"),
    ("CREATE TABLE a (id int PRIMARY KEY) ENGINE=MyISAM", "a", "ENGINE=InnoDB"),
    ("CREATE TABLE a (id int PRIMARY KEY, p point)", "a", "column p .* is of type point"),
    ("CREATE TABLE a (id int PRIMARY KEY, g int AS (id + 1))", "a", "column g .* is generated"),
    (
        "CREATE TABLE a (id int PRIMARY KEY, v varchar(9) CHARACTER SET utf16)", "a",
        r"column v .* character set utf16, .* MODIFY `v` varchar\(9\) CHARACTER SET utf8mb4",
    ),
    (
        "CREATE TABLE a (id int PRIMARY KEY, e enum('x') CHARACTER SET sjis)", "a",
        "column e .* character set sjis",
    ),
    ("CREATE TABLE a (id int PRIMARY KEY)", "b", r"there is no table 'b'.*there are .*shop\.a"),
]
# fmt: on


@pytest.mark.parametrize(("statement", "table", "said"), REFUSED)
def test_tables_that_cannot_be_read_are_refused(
    server: MariaDb, statement: str, table: str, said: str
) -> None:
    server.run(statement)
    with pytest.raises(SourceError, match=said):
        plan_of(server, table)


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("binlog_row_image", "MINIMAL", "is MINIMAL, .*binlog_row_image=FULL"),
        ("binlog_row_metadata", "NO_LOG", "binlog_row_metadata=FULL"),
        ("binlog_format", "MIXED", "binlog_format=ROW"),
        ("log_bin_compress", "ON", "log_bin_compress of the server is ON"),
    ],
)
def test_settings_that_do_not_fit_are_named(
    server: MariaDb, name: str, value: str, said: str
) -> None:
    server.run("CREATE TABLE a (id int PRIMARY KEY)")
    ((_, before),) = server.rows(f"SHOW GLOBAL VARIABLES LIKE '{name}'")
    server.run(f"SET GLOBAL {name} = {value}")
    try:
        with pytest.raises(SourceError, match=said):
            plan_of(server, "a")
    finally:
        server.run(f"SET GLOBAL {name} = {before}")


def test_a_user_without_rights_and_a_wrong_password_are_named(server: MariaDb) -> None:
    server.run(
        "CREATE TABLE a (id int PRIMARY KEY)",
        "CREATE OR REPLACE USER reader@'%' IDENTIFIED BY 'hunter2'",
        "GRANT SELECT ON shop.* TO reader@'%'",
    )
    parameters = {"host": "127.0.0.1", "port": server.port, "user": "reader", "database": "shop"}
    for password, said in (("hunter2", "GRANT .*REPLICATION SLAVE"), ("hunter3", "Access denied")):
        wanted = MyPlan(parameters, password=password)
        assert password not in repr(wanted)
        with pytest.raises(SourceError, match=said) as caught:
            inspected(wanted, "a")
        assert password not in str(caught.value)


def test_the_server_may_be_away_for_a_time(server: MariaDb) -> None:
    server.run("CREATE TABLE a (id int PRIMARY KEY, v int)", "INSERT INTO a VALUES (1, 1)")
    copy = Copy(plan_of(server, "a", retry_seconds=60)).all()
    server.kill()
    server.start()
    server.run("INSERT INTO a VALUES (2, 2)")
    copy.all()
    same(copy, server, "a")
    server.stop()
    try:
        short = MySqlReader(replace(copy.plan, retry_seconds=0.2))
        with pytest.raises(SourceError, match=r"MySQL server was away for 0.2 s.*Nothing is lost"):
            short.latestOffset(copy.at, short.getDefaultReadLimit())
    finally:
        server.start()


def test_a_zero_date_in_a_key_is_a_failing_row(server: MariaDb) -> None:
    """It ended the pipeline, and only a new location helped."""
    server.run(
        "SET sql_mode = ''", "CREATE TABLE a (id int, d date, PRIMARY KEY (id, d))",
        "INSERT INTO a VALUES (1, '0000-00-00'), (2, '2026-01-01')",
    )  # fmt: skip
    copy = Copy(plan_of(server, "a")).all()
    server.run("SET sql_mode = ''", "INSERT INTO a VALUES (3, '0000-00-00')")
    found = {row["id"]: row["_groundswell_malformed"] for row in copy.all().rows.values()}
    assert found[2] is None
    for key in (1, 3):
        assert f"a date that no calendar has in the row id = {key}, d" in found[key]


CHARACTER_SETS = sorted(CHARSETS - {"utf8"})


@pytest.mark.parametrize("charset", CHARACTER_SETS)
def test_texts_of_a_character_set_are_the_same_in_the_binlog(server: MariaDb, charset: str) -> None:
    """Each byte that the server and Python both take for a character is the same one."""
    from pymysql.charset import charset_by_name

    server.run(f"CREATE TABLE a (id int PRIMARY KEY, v varchar(9) CHARACTER SET {charset})")
    copy = Copy(plan_of(server, "a")).all()
    encoding = charset_by_name(charset).encoding
    wide = {
        "utf8mb4": "é€한😀",
        "utf8mb3": "é€한",
        "euckr": "한국",
        "gbk": "中文",
        "gb2312": "中文",
    }
    texts = [wide.get(charset, "")]
    for byte in range(1, 128 if charset in wide else 256):
        with suppress(UnicodeDecodeError):
            texts.append(bytes([byte]).decode(encoding))
    with server.connect() as connection, connection.cursor() as cursor:
        cursor.execute("USE shop")
        cursor.executemany("INSERT INTO a VALUES (%s, %s)", [*enumerate(texts)])
    found = copy.all().table()
    assert found == sorted(server.rows("SELECT id, v FROM a"), key=repr)
    assert sorted(found) == [*enumerate(texts)]
