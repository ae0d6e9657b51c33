"""The examples run, and print what they should."""

import importlib.util
import statistics
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from pyspark.sql import SparkSession

from conftest import ROOT
from groundswell import confs


def example(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, ROOT / "examples" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def session(spark: SparkSession) -> SparkSession:
    spark.conf.set(confs.FILE_MANAGER_KEY, confs.FILE_MANAGER)
    return spark


def test_votes(session: SparkSession, tmp_path: Path, capsys: Any) -> None:
    printed = example("votes").main(session, str(tmp_path))
    assert printed == [
        [("Tides of state", 2), ("A log is a table", 1)],
        [("Late to the window", 3), ("Tides of state", 2)],
        [("Tides of state, 2nd ed.", 2), ("A log is a table", 1)],
    ]
    assert "  3 votes  Late to the window" in capsys.readouterr().out


@pytest.mark.rest
def test_cart(session: SparkSession, tmp_path: Path, capsys: Any) -> None:
    printed = [costs for _, costs in example("cart").main(session, str(tmp_path))]
    assert printed == [
        {"ann": (15.5, 15.5), "bob": (4.0, 4.0)},
        {"ann": (15.5, 17.5), "bob": (4.0, 5.0)},
        {"ann": (15.5, 17.5), "bob": (15.0, 15.0)},
        {"ann": (8.0, 10.0), "bob": (15.0, 15.0)},
    ]
    assert "Looked up by key: ann 8.00" in capsys.readouterr().out


@pytest.mark.rest
def test_promotions(session: SparkSession, tmp_path: Path, capsys: Any) -> None:
    module = example("promotions")
    printed = module.main(session, str(tmp_path))
    # windows with a start of less than an hour ago: all of them, then all but the first four
    wanted = [shares(module, range(3)), shares(module, range(6)), shares(module, range(4, 6))]
    assert printed == wanted
    assert printed[0] != printed[1] != printed[2]
    assert "guitar  video ad" in capsys.readouterr().out


def shares(module: Any, steps: range) -> dict[int, float]:
    """The weights, from the formulas."""
    roi, vol, pairs = {}, {}, {}
    for promotion, product, _, weight in module.PROMOTIONS:
        sold = [module.CENTS[product] * module.QUANTITIES[promotion][step] for step in steps]
        roi[promotion] = sum(sold) / (weight * len(sold))
        vol[promotion] = statistics.stdev(sold)
        pairs.setdefault(product, []).append(promotion)
    found = {}
    for one, two in pairs.values():
        for a, b in ((one, two), (two, one)):
            above = vol[b] ** 2 * roi[a]
            found[a] = float(round(100 * above / (above + roi[b] * vol[a] ** 2)))
    return found
