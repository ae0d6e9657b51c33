"""The files of statements run, and print what they should."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from conftest import ROOT, SparkFactory
from groundswell import confs
from groundswell.sql.console.file import read_file
from groundswell.sql.console.script import Script
from groundswell.sql.executor import REGISTRY

pytestmark = pytest.mark.rest

PRINTED = {
    "votes": [
        "1         2\n(1 row)",
        "story_id  vcount\n--------  ------\n(0 rows)",
        "1         2\n2         2\n(2 rows)",
    ],
    "stories": [
        "11  story 11  12\n10  story 10  11\n",
        "2   story 2   3\n(10 rows)",
        "10  story 10  11\n9   story 9   10\n8   story 8   9\n(3 rows)",
        "11  story 11  2\n(1 row)",
    ],
    "carts": [
        "1234     2023-02-01 10:01:00  Red T-Shirt  9.99    Apparel",
        "Apparel      4       99.88\nElectronics  3       499.97\n",
    ],
    "promotions": [
        "1             6        99000\n2             6        151800\n",
        "1             96.0\n2             4.0\n",
    ],
    "orders": [
        "6973.9    FM\n993.99    CA\n",
        "4.0       100003\n3.0       100002\n2.0       100001\n",
        "3975.96   100001\n2255.97   100002\n1735.96   100003\n",
    ],
}


@pytest.fixture
def session(spark_factory: SparkFactory) -> Iterator[SparkSession]:
    spark = spark_factory({confs.EXTENSIONS_KEY: confs.EXTENSIONS})
    spark.conf.set(confs.FILE_MANAGER_KEY, confs.FILE_MANAGER)
    yield spark
    for pipeline in REGISTRY.all(spark):
        pipeline.stop()
        REGISTRY.remove(spark, pipeline.name)


@pytest.mark.parametrize("name", PRINTED)
def test_a_file_prints_what_it_should(session: SparkSession, tmp_path: Path, name: str) -> None:
    printed: list[str] = []
    file = ROOT / "examples" / f"{name}.sql"
    Script(session, read_file(str(file)), str(tmp_path / "c"), once=True, out=printed.append).run()
    text = "\n".join(printed)
    for part in PRINTED[name]:
        assert part in text, text
