"""The sink of JDBC, on engines that run in the driver's JVM and on real servers."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

import groundswell as gs
from groundswell import confs
from groundswell.jvm.jdbc import JdbcTarget
from groundswell.sql.executor import REGISTRY
from sinks.conformance import (
    AppendConformance,
    Driven,
    KeyedConformance,
    Pipelines,
    Row,
    Target,
    delete,
    insert,
)
from systems.jars import jars
from systems.servers import MariaDb, Postgres

DRIVERS = (
    "com.h2database:h2:2.3.232",
    "org.hsqldb:hsqldb:2.7.4",
    "org.xerial:sqlite-jdbc:3.47.1.0",
    "org.mariadb.jdbc:mariadb-java-client:3.5.1",
    "org.postgresql:postgresql:42.7.4",
)
ENGINES = ("h2", "hsqldb", "sqlite", "derby", "mariadb", "postgres")
NUMBER = count()


def drivers() -> str:
    """The jars of all drivers; Derby's is among Spark's own."""
    found: list[str] = []
    for driver in DRIVERS:
        folder, name = Path(jars(driver)).parent, driver.split(":")[1]
        found += [str(path) for path in folder.glob(f"{name}-*.jar")]
    return ",".join(found)


@pytest.fixture(scope="module")
def session(_contexts: Any, jar: Path) -> Iterator[SparkSession]:
    made = {"spark.jars": f"{jar},{drivers()}", confs.EXTENSIONS_KEY: confs.EXTENSIONS}
    spark = _contexts.get(made, own_jvm=True).newSession()
    spark.conf.set(confs.FILE_MANAGER_KEY, confs.FILE_MANAGER)
    yield spark
    for query in spark.streams.active:
        query.stop()


@pytest.fixture(scope="module")
def servers() -> Iterator[dict[str, Any]]:
    """Servers that were started, by name."""
    started: dict[str, Any] = {}
    yield started
    for server in started.values():
        server.close()


def place(engine: str, folder: Path, servers: dict[str, Any]) -> dict[str, Any]:
    """The options that lead to an empty database of an engine."""
    name = f"d{next(NUMBER)}"
    match engine:
        case "h2":
            return {"url": f"jdbc:h2:mem:{name};DB_CLOSE_DELAY=-1"}
        case "hsqldb":
            return {"url": f"jdbc:hsqldb:mem:{name}", "user": "SA"}
        case "derby":
            return {"url": f"jdbc:derby:memory:{name};create=true"}
        case "sqlite":
            return {"url": f"jdbc:sqlite:{folder / name}.db"}
    if engine not in servers:
        servers[engine] = MariaDb() if engine == "mariadb" else Postgres()
    server = servers[engine]
    at = f"{engine}://127.0.0.1:{server.port}/{name}?createDatabaseIfNotExist=true"
    if engine == "postgres":
        with server.connect() as connection:
            connection.execute(f"CREATE SCHEMA {name}")
        at = f"postgresql://127.0.0.1:{server.port}/postgres?currentSchema={name}"
    return {
        "url": f"jdbc:{at}",
        "user": "owner",
        "password": server.PASSWORD,
    }


class Table(Target):
    """A table that the sink makes."""

    format = "jdbc"

    def __init__(self, spark: SparkSession, where: dict[str, Any], table: str = "") -> None:
        self.spark, self.where = spark, where
        self.table = table or f"out{next(NUMBER)}"
        self.options = {**where, "table": self.table, "create_table": True}

    def connect(self) -> JdbcTarget:
        assert self.spark is not None
        given = {k: v for k, v in self.where.items() if k in ("user", "password")}
        return JdbcTarget(self.spark, self.where["url"], "", given)

    def ask(self, query: str) -> list[list[str | None]]:
        target = self.connect()
        try:
            return target.query(query)
        finally:
            target.close()

    def run(self, *statements: str) -> None:
        target = self.connect()
        try:
            for statement in statements:
                target.run(statement)
            target.commit()
        finally:
            target.close()

    def quoted(self, *names: str) -> str:
        target = self.connect()
        quote, upper = target.quote, target.stores == "upper"
        target.close()
        return ", ".join(f"{quote}{n.upper() if upper else n}{quote}" for n in names)

    def rows(self) -> list[Row]:
        target = self.connect()
        name = self.table.upper() if target.stores == "upper" else self.table
        there = target.columns("", name)
        target.close()
        if not there:
            return []
        columns = self.quoted("customer", "n", "total", "name")
        found = self.ask(f"SELECT {columns} FROM {self.quoted(self.table)}")
        return sorted((int(str(c)), int(str(n)), float(str(t)), name) for c, n, t, name in found)


class GrowingTable(Table):
    append_only = True

    def __init__(self, spark: SparkSession, where: dict[str, Any]) -> None:
        super().__init__(spark, where)
        self.options["mode"] = "append"


@pytest.fixture(params=ENGINES)
def where(
    request: pytest.FixtureRequest, tmp_path: Path, servers: dict[str, Any]
) -> dict[str, Any]:
    return place(request.param, tmp_path, servers)


class TestJdbc(KeyedConformance):
    @pytest.fixture
    def target(self, session: SparkSession, where: dict[str, Any]) -> Table:
        return Table(session, where)

    def test_a_table_of_keys_alone_and_one_of_another_s_spelling(
        self, session: SparkSession, target: Table
    ) -> None:
        """A view's column finds one that the database spells in its own way."""
        target.run(
            "CREATE TABLE Mine (Customer bigint NOT NULL PRIMARY KEY, N bigint, "
            f"Total double {'precision' if 'mariadb' not in target.where['url'] else ''}, "
            "Name varchar(20))"
        )
        mine = Table(
            session, target.where, "mine" if "mariadb" not in str(target.where) else "Mine"
        )
        driven = Driven(mine, create_table=False)
        driven.start()
        driven.epoch(0, insert(1), insert(2))
        driven.epoch(1, delete(1))
        driven.sink.close()
        assert mine.ask("SELECT Customer, N FROM Mine") == [["2", "1"]]

    def test_what_a_table_lacks_is_named_before_anything_is_written(
        self, session: SparkSession, target: Table
    ) -> None:
        def refused(told: str, *columns: str) -> None:
            name = f"bad{next(NUMBER)}"
            target.run(f"CREATE TABLE {name} ({', '.join(columns)})")
            driven = Driven(Table(session, target.where, name), create_table=False)
            with pytest.raises(gs.SinkError, match=told):
                driven.start()
            driven.sink.close()
            assert target.ask(f"SELECT count(*) FROM {name}") == [["0"]]

        key = "customer bigint NOT NULL PRIMARY KEY"
        some = ("n bigint", "total double precision", "name varchar(20)")
        refused("has no column 'name'", key, *some[:2])
        refused("no primary key and no unique index", "customer bigint NOT NULL", *some)
        refused("wants a value for (more|MORE)", key, *some, "more int NOT NULL")
        if "sqlite" not in target.where["url"]:
            refused("column n .* smallest number is -32768", key, "n smallint", *some[1:])
        if "hsqldb" not in target.where["url"] and "sqlite" not in target.where["url"]:
            half = "float" if "mariadb" in target.where["url"] else "real"
            refused("column total .* bits", key, some[0], f"total {half}", some[2])
        with pytest.raises(gs.SinkError, match="there is no table nothing"):
            Driven(Table(session, target.where, "nothing"), create_table=False).start()

    def test_blanks_behind_a_text_are_not_cut_off(
        self, session: SparkSession, target: Table
    ) -> None:
        """SQL has a database do so in silence, where letters that are no blanks are an error."""
        if "sqlite" in target.where["url"]:
            pytest.skip("SQLite keeps texts of any length in any column")
        name, double = f"short{next(NUMBER)}", "double precision"
        some = f"customer bigint NOT NULL PRIMARY KEY, n bigint, total {double}"
        target.run(f"CREATE TABLE {name} ({some}, name varchar(3))")
        driven = Driven(Table(session, target.where, name), create_table=False)
        driven.start()
        driven.epoch(0, insert(1, name="ab "))
        with pytest.raises(gs.SinkRowRefused, match="does not hold abc  of the row customer = 2"):
            driven.write(1, [insert(2, name="abc ")])
        driven.sink.close()


@pytest.mark.parametrize(
    ("engine", "column"),
    [
        ("h2", "VARCHAR_IGNORECASE(9)"),
        ("sqlite", "text COLLATE NOCASE"),
        ("sqlite", "text COLLATE RTRIM"),
    ],
)
def test_a_key_of_texts_goes_into_no_column_that_takes_two_for_one(
    session: SparkSession, engine: str, column: str, tmp_path: Path, servers: dict[str, Any]
) -> None:
    table = Table(session, place(engine, tmp_path, servers))
    rest = "customer bigint, n bigint, total double precision"
    table.run(f"CREATE TABLE alike ({rest}, name {column} NOT NULL PRIMARY KEY)")
    driven = Driven(Table(session, table.where, "alike"), create_table=False)
    driven.key = ("name",)
    with pytest.raises(gs.SinkError, match=r"key column name .* Rows would be lost"):
        driven.start()
    driven.sink.close()


@pytest.mark.parametrize("engine", ENGINES)
def test_a_second_unique_column_does_not_have_rows_change_others(
    session: SparkSession, engine: str, tmp_path: Path, servers: dict[str, Any]
) -> None:
    """MariaDB's upsert changed the row that had the same name, and the new key was in no row."""
    table = Table(session, place(engine, tmp_path, servers), "own")
    rest = "customer bigint NOT NULL PRIMARY KEY, n bigint, total double precision"
    table.run(f"CREATE TABLE own ({rest}, name varchar(9) NOT NULL, UNIQUE (name))")
    driven = Driven(table, create_table=False)
    if engine == "mariadb":
        with pytest.raises(gs.SinkError, match=r"second unique index, on \(name\)"):
            driven.start()
        driven.sink.close()
        return
    driven.start()
    driven.epoch(0, insert(1, name="ann"))
    driven.epoch(1, delete(1, name="ann"), insert(2, name="ann"))  # a new row has what one had
    with pytest.raises(gs.SinkRowRefused):
        driven.write(2, [insert(3, name="ann")])
    driven.sink.close()
    assert table.ask("SELECT customer FROM own") == [["2"]]


class TestGrowingJdbc(AppendConformance):
    @pytest.fixture
    def target(self, session: SparkSession, where: dict[str, Any]) -> GrowingTable:
        return GrowingTable(session, where)


class TestJdbcPipelines(Pipelines):
    """Databases that another process can open, too."""

    @pytest.fixture(params=["sqlite", "mariadb"])
    def target(
        self,
        request: pytest.FixtureRequest,
        session: SparkSession,
        tmp_path: Path,
        servers: dict[str, Any],
        monkeypatch: pytest.MonkeyPatch,
    ) -> Table:
        monkeypatch.setenv("PYSPARK_SUBMIT_ARGS", f"--jars {drivers()} pyspark-shell")
        return Table(session, place(request.param, tmp_path, servers))


def test_a_sink_of_sql(session: SparkSession, tmp_path: Path) -> None:
    where = place("h2", tmp_path, {})
    session.sql(f"CREATE PIPELINE p LOCATION '{tmp_path / 'p'}'")
    session.sql("USE groundswell.p")
    try:
        session.sql(
            "CREATE TABLE t (customer bigint PRIMARY KEY, n bigint, total double, name string)"
        )
        session.sql(
            "CREATE SINK s FROM t WITH (connector = 'jdbc', type = 'upsert', table = 'out', "
            f"create_table = true, url = '{where['url']}')"
        )
        session.sql("INSERT INTO t VALUES (1, 2, 3.0, 'x'), (2, 2, 3.0, 'y')")
        session.sql("DELETE FROM t WHERE customer = 2")
        session.sql("FLUSH")
        assert Table(session, where, "out").rows() == [(1, 2, 3.0, "x")]
        with pytest.raises(gs.ConfigurationError, match="holds a password"):
            session.sql(
                "CREATE SINK u FROM t WITH (connector = 'jdbc', table = 'out', "
                "url = 'jdbc:mariadb://h/d?user=a&password=b')"
            )
        with pytest.raises(gs.ConfigurationError, match="did you mean 'table'"):
            session.sql("CREATE SINK u FROM t WITH (connector = 'jdbc', tabel = 'x', url = 'y')")
    finally:
        for pipeline in REGISTRY.all(session):
            pipeline.stop()
            REGISTRY.remove(session, pipeline.name)


@contextmanager
def sunk(session: SparkSession, folder: Path, columns: str, table: Table) -> Iterator[None]:
    """A table ``t`` of a pipeline whose rows go to a table that the sink makes."""
    given = dict(table.where)
    if "password" in given:  # statements are kept, and hold none
        (folder / "password").write_text(given.pop("password"))
        given["password_file"] = folder / "password"
    options = ", ".join(f"{name} = '{value}'" for name, value in given.items())
    session.sql(f"CREATE PIPELINE p LOCATION '{folder / 'p'}'")
    session.sql("USE groundswell.p")
    try:
        session.sql(f"CREATE TABLE t ({columns})")
        session.sql(
            f"CREATE SINK s FROM t WITH (connector = 'jdbc', table = '{table.table}', "
            f"create_table = true, {options})"
        )
        yield
    finally:
        for pipeline in REGISTRY.all(session):
            pipeline.stop()
            REGISTRY.remove(session, pipeline.name)


@pytest.mark.parametrize("engine", ["h2", "hsqldb", "derby", "sqlite"])
def test_dates_before_1582_go_as_they_are_or_are_refused(
    session: SparkSession,
    engine: str,
    tmp_path: Path,
    servers: dict[str, Any],
    caplog: pytest.LogCaptureFixture,
) -> None:
    """Spark's own JDBC sink moves them by days: it counts in another calendar there."""
    table = Table(session, place(engine, tmp_path, servers))
    dates = ["0001-01-01", "1500-03-01", "1582-10-10", "1582-10-15", "2024-02-29"]
    with sunk(session, tmp_path, "d date PRIMARY KEY", table):
        session.sql("INSERT INTO t VALUES (DATE'2024-02-29')")
        session.sql("FLUSH")
        session.sql("INSERT INTO t VALUES " + ", ".join(f"(DATE'{d}')" for d in dates[:-1]))
        session.sql("FLUSH")
        kept = engine in ("h2", "sqlite")
        found = table.ask(f"SELECT CAST(d AS char(10)) FROM {table.table} ORDER BY 1")
        assert found == [[d] for d in (dates if kept else dates[-1:])]
        assert kept or "does not keep days from" in caplog.text


@pytest.mark.parametrize("engine", ["h2", "hsqldb", "derby", "sqlite"])
def test_fractions_of_seconds_arrive_in_a_table_that_the_sink_makes(
    session: SparkSession, engine: str, tmp_path: Path, servers: dict[str, Any]
) -> None:
    """HSQLDB says of the column that it has no digits after the point; it has six."""
    table = Table(session, place(engine, tmp_path, servers))
    time = "2024-02-29 12:34:56.123456"
    with sunk(session, tmp_path, "k int PRIMARY KEY, made timestamp_ntz", table):
        session.sql(f"INSERT INTO t VALUES (1, TIMESTAMP_NTZ'{time}')")
        session.sql("FLUSH")
        session.sql("FLUSH")
        [[found]] = table.ask(f"SELECT CAST(made AS varchar(40)) FROM {table.table}")
        assert str(found).startswith(time)


@pytest.mark.parametrize("engine", ["h2", "mariadb", "postgres"])
def test_a_row_with_a_float_as_its_key_is_found_again(
    session: SparkSession, engine: str, tmp_path: Path, servers: dict[str, Any]
) -> None:
    """A float is no decimal: MariaDB found none by 0.1, and its row stayed."""
    table = Table(session, place(engine, tmp_path, servers))
    with sunk(session, tmp_path, "k float PRIMARY KEY, v int", table):
        session.sql("INSERT INTO t VALUES (CAST(0.1 AS float), 1), (CAST(0.3 AS float), 2)")
        session.sql("FLUSH")
        session.sql("DELETE FROM t WHERE v = 1")
        session.sql("UPDATE t SET v = 3 WHERE v = 2")
        session.sql("FLUSH")
        assert table.ask(f"SELECT v FROM {table.quoted(table.table)}") == [["3"]]


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"url": "postgresql://h/d"}, "is not a JDBC URL"),
        ({"url": "jdbc:nothing://h/d"}, "--jars, spark.jars or"),
        ({"url": "jdbc:h2:mem:x", "driver": "org.nothing.Driver"}, "no driver org.nothing.Driver"),
    ],
)
def test_a_database_that_cannot_be_reached(
    session: SparkSession, options: dict[str, Any], told: str
) -> None:
    with pytest.raises(gs.SinkError, match=told):
        Driven(Table(session, options)).start()


def test_a_server_that_is_away_is_asked_again(session: SparkSession) -> None:
    options = {"url": "jdbc:mariadb://127.0.0.1:1/shop", "user": "a", "password": "s3cret"}
    with pytest.raises(gs.SinkUnavailable) as e:
        Driven(Table(session, options)).start()
    assert "s3cret" not in str(e.value)


@pytest.mark.parametrize("engine", ["hsqldb", "derby", "mariadb"])
def test_a_key_of_texts_that_are_compared_loosely_is_refused(
    session: SparkSession, engine: str, tmp_path: Path, servers: dict[str, Any]
) -> None:
    """'a' and 'a ' are one key there: the second row would have replaced the first."""
    table = Table(session, place(engine, tmp_path, servers))
    key = "name varchar(20) NOT NULL PRIMARY KEY"
    columns = "customer bigint, n bigint, total double precision"
    table.run(f"CREATE TABLE loose{table.table} ({key}, {columns})")
    driven = Driven(Table(session, table.where, f"loose{table.table}"), create_table=False)
    driven.key = ("name",)
    with pytest.raises(gs.SinkError, match="may take different texts for the same"):
        driven.start()
    driven.sink.close()


@pytest.mark.parametrize("engine", ["h2", "sqlite", "postgres"])
def test_texts_that_differ_in_a_space_are_two_keys(
    session: SparkSession, engine: str, tmp_path: Path, servers: dict[str, Any]
) -> None:
    table = Table(session, place(engine, tmp_path, servers))
    driven = Driven(table)
    driven.key = ("name",)
    driven.start()
    driven.epoch(0, insert(1, name="a"), insert(2, name="a "), insert(3, name="A"))
    driven.epoch(1, delete(1, name="a"))
    driven.sink.close()
    assert [row[3] for row in table.rows()] == ["a ", "A"]


def test_statements_that_are_not_run_here_are_standard_sql(session: SparkSession) -> None:
    """MERGE as SQL Server and Oracle take it, run by H2, which takes both."""
    from groundswell.sinks import jdbc_dialects as d

    for source in (d._from_values, d._from_dual):
        table = Table(session, place("h2", Path("/"), {}))
        names = d.Names("t", ["a"], ["b"])
        a, b = "CAST(? AS int)", "CAST(? AS varchar(9))"  # H2 wants types, the others do not
        sql = d._merge(source)(names).replace("(VALUES (?, ?))", f"(VALUES ({a}, {b}))")
        sql = sql.replace("? AS a, ? AS b", f"{a} AS a, {b} AS b")
        target = table.connect()
        target.run("CREATE TABLE t (a int PRIMARY KEY, b varchar(9))")
        for row in ((1, "x"), (2, "y"), (1, "z")):
            target.update(sql, *row)
        assert target.query("SELECT a, b FROM t ORDER BY a") == [["1", "z"], ["2", "y"]]
        target.close()
