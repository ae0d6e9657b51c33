"""Positions in the binlog; pure."""

from __future__ import annotations

import random

import pytest

from groundswell.sources.mysql_gtid import MARIADB, MYSQL, Position

ONE, TWO = "3e11fa47-71ca-11e1-9e33-c80aa9429562", "726757ad-4455-11e8-ae04-0242ac110002"


@pytest.mark.parametrize(
    ("flavor", "text", "wanted"),
    [
        (MARIADB, "", ""),
        (MARIADB, "1-2-7, 0-1-5", "0-1-5,1-2-7"),
        (MYSQL, "", ""),
        (MYSQL, f"{ONE.upper()}:1-3:4:9,\n{TWO}:7", f"{ONE}:1-4:9,{TWO}:7"),
        (MYSQL, f"{ONE}:5-9:1-6", f"{ONE}:1-9"),
    ],
)
def test_a_position_is_written_as_the_server_does(flavor: str, text: str, wanted: str) -> None:
    assert Position.parse(flavor, text).text == wanted


def test_mariadb_has_the_last_transaction_of_each_domain() -> None:
    at = Position.parse(MARIADB, "0-1-5,1-2-7")
    assert at.has("0-9-5")
    assert at.has("1-2-1")
    assert not at.has("0-1-6")
    assert not at.has("2-1-1")
    later = at.also("0-3-6").also("2-1-1")
    assert later.text == "0-3-6,1-2-7,2-1-1"
    assert later.covers(at)
    assert not at.covers(later)


def test_mysql_has_sets_of_numbers() -> None:
    seed = random.randrange(10**6)
    print(f"seed {seed}")
    rng = random.Random(seed)
    for _ in range(200):
        first, second = ({rng.randrange(1, 12) for _ in range(rng.randrange(8))} for _ in "ab")
        one, two = Position.parse(MYSQL, ""), Position.parse(MYSQL, "")
        for n in sorted(first, key=lambda _: rng.random()):
            one = one.also(f"{ONE}:{n}")
        for n in second:
            two = two.also(f"{ONE}:{n}")
        assert Position.parse(MYSQL, one.text) == one
        assert one.covers(two) == (second <= first)
        assert all(one.has(f"{ONE}:{n}") == (n in first) for n in range(1, 13))
        assert not one.has(f"{TWO}:1")
