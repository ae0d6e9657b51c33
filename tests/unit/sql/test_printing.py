"""Lines that say how far a pipeline is."""

from __future__ import annotations

from groundswell.sql.console import printing

BARRIER = {"epoch": 4, "seconds": 12.4, "percent": 40}


def test_a_long_barrier_and_a_first_load() -> None:
    computed = "epoch 4 is computed: 40 %, 12 s so far"
    assert printing.running(BARRIER) == computed
    assert printing.running({**BARRIER, "percent": None}) == computed.replace("40 %, ", "")
    assert printing.running(None, 37.4) == "37 % of the first load is there"
    assert printing.running(BARRIER, 37.4) == f"37 % of the first load is there; {computed}"


def test_a_barrier_of_a_first_load() -> None:
    done = {
        "epoch": 4,
        "sources": {"t": 3, "u": 0},
        "inputRows": 3,
        "lateRows": 0,
        "barrierMillis": 7,
        "freshnessMillis": 9,
    }
    plain = "epoch 4: 3 rows in (t 3), 7 ms, fresh after 9 ms"
    assert printing.barrier(done) == plain
    loading = printing.barrier({**done, "loading": 37.4})
    assert loading == plain.replace("), 7", "), 37 % of the first load, 7")
