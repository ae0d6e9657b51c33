"""Random queries over streams of ts, k, v with watermarks, and a table ``u`` of k, v without."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence


class Maker:
    """Makes queries of ts, k, v, of up to ``depth`` pieces on their longest path."""

    def __init__(
        self,
        rng: random.Random,
        names: Sequence[str],
        pieces: Sequence[Callable[[Maker, int], str]] = (),
    ) -> None:
        self.rng, self.names = rng, names
        self.pieces = pieces or PIECES
        self.aliases = 0

    def query(self, depth: int) -> str:
        if depth == 0:
            return f"select ts, k, v from {self.rng.choice(self.names)}"
        return self.rng.choice(self.pieces)(self, self.rng.randint(0, depth - 1))

    def of(self, depth: int) -> tuple[str, str]:
        """A relation for a FROM clause, and its alias."""
        self.aliases += 1
        return f"({self.query(depth)}) r{self.aliases}", f"r{self.aliases}"


def rows_by_condition(maker: Maker, depth: int) -> str:
    source, _ = maker.of(depth)
    condition = maker.rng.choice(["v > 0", "k = 'a' or v is null", "second(ts) < 40", "v % 2 = 0"])
    return f"select ts, k, v from {source} where {condition}"


def windows(maker: Maker, depth: int) -> str:
    source, _ = maker.of(depth)
    window = maker.rng.choice(
        ["window(ts, '20 seconds')", "window(ts, '20 seconds', '10 seconds')"]
    )
    time = maker.rng.choice(["window.start", "window.end"])
    call = maker.rng.choice(["sum(v)", "count(*)", "max(v)", "count(distinct v)"])
    return f"select {time} ts, k, {call} v from {source} group by {window}, k"


def minutes(maker: Maker, depth: int) -> str:
    source, _ = maker.of(depth)
    call = maker.rng.choice(["sum(v)", "count(*)", "min(v)"])
    return f"select date_trunc('minute', ts) ts, k, {call} v from {source} group by 1, 2"


def sessions(maker: Maker, depth: int) -> str:
    source, _ = maker.of(depth)
    time = maker.rng.choice(["session_window.start", "session_window.end"])
    return f"""select {time} ts, k, count(v) v from {source}
        where ts is not null group by session_window(ts, '6 seconds'), k"""


def distinct(maker: Maker, depth: int) -> str:
    source, _ = maker.of(depth)
    return f"select distinct ts, k, v from {source}"


def both(maker: Maker, depth: int) -> str:
    (one, _), (other, _) = maker.of(depth), maker.of(depth)
    return f"select ts, k, v from {one} union all select ts, k, v from {other}"


def near(maker: Maker, depth: int) -> str:
    (one, left), (other, right) = maker.of(depth), maker.of(depth)
    kind = maker.rng.choice(["inner", "left", "right", "full"])
    early, late = maker.rng.choice([(0, 10), (-10, 5), (5, 15), (0, 0)])
    time = {"right": f"{right}.ts", "full": f"coalesce({left}.ts, {right}.ts)"}
    equal = maker.rng.choice([f"{left}.k = {right}.k and", ""])
    return f"""select {time.get(kind, f"{left}.ts")} ts, {left}.k, coalesce({right}.v, -1) v
        from {one} {kind} join {other} on {equal} {right}.ts between
        {left}.ts + interval {early} seconds and {left}.ts + interval {late} seconds"""


def at_once(maker: Maker, depth: int) -> str:
    (one, left), (other, right) = maker.of(depth), maker.of(depth)
    kind = maker.rng.choice(["inner", "left", "right", "full"])
    time = maker.rng.choice([f"{left}.ts", f"{right}.ts"])
    return f"""select {time} ts, {left}.k, {right}.v
        from {one} {kind} join {other} on {left}.ts = {right}.ts and {left}.v <> {right}.v"""


def there(maker: Maker, depth: int) -> str:
    (one, left), (other, right) = maker.of(depth), maker.of(depth)
    kind = maker.rng.choice(["semi", "anti"])
    time = maker.rng.choice(
        [
            f"{left}.ts = {right}.ts",
            f"{right}.ts between {left}.ts - interval 5 seconds and {left}.ts + interval 5 seconds",
        ]
    )
    return f"select ts, k, v from {one} left {kind} join {other} on {left}.k = {right}.k and {time}"


def numbered(maker: Maker, depth: int) -> str:
    source, _ = maker.of(depth)
    call = maker.rng.choice(["row_number()", "rank()", "sum(v)", "lag(v)"])
    return f"""select ts, k, cast({call} over (
        partition by date_trunc('minute', ts), k order by v, ts) as bigint) v from {source}"""


def first(maker: Maker, depth: int) -> str:
    source, _ = maker.of(depth)
    by = maker.rng.choice(["date_trunc('minute', ts)", "ts", "k"])
    return f"""select ts, k, v from (select *, row_number() over (
        partition by {by} order by v, ts, k) n from {source}) where n <= 2"""


def of_all_time(maker: Maker, depth: int) -> str:
    source, _ = maker.of(depth)
    return f"select max(ts) ts, k, sum(v) v from {source} group by k"


def with_table(maker: Maker, depth: int) -> str:
    source, name = maker.of(depth)
    kind = maker.rng.choice(["inner", "left"])
    return f"select ts, {name}.k, u.v from {source} {kind} join u on {name}.k = u.k"


def starts(maker: Maker, depth: int) -> str:
    source, _ = maker.of(depth)
    window = maker.rng.choice(["'20 seconds'", "'20 seconds', '10 seconds'"])
    edge = maker.rng.choice(["start", "end"])
    call = maker.rng.choice(["sum(v)", "count(*)"])
    return f"""select edge ts, k, {call} v from (
        select w.{edge} edge, k, v from (select window(ts, {window}) w, k, v from {source}))
        group by edge, k"""


def in_order(maker: Maker, depth: int) -> str:
    source, _ = maker.of(depth)
    call = maker.rng.choice(
        [
            "row_number() over (partition by k order by {order}, v)",
            "dense_rank() over (order by {order})",
            "lag(v) over (partition by k order by {order}, v)",
            "sum(v) over (partition by k order by {order})",
            "max(v) over (partition by k order by {order}, v "
            "rows between 2 preceding and current row)",
            "sum(v) over (partition by k order by {order} range between "
            "interval 20 seconds preceding and interval 5 seconds following)",
            "lead(v) over (partition by k order by {order}, v)",
        ]
    )
    order = maker.rng.choice(["ts", "ts nulls last"])
    return f"select ts, k, cast({call.format(order=order)} as bigint) v from {source}"


def oldest(maker: Maker, depth: int) -> str:
    source, _ = maker.of(depth)
    return (
        f"select * from {source} order by ts{maker.rng.choice(['', ' nulls last'])}, k, v limit 9"
    )


def with_constants(maker: Maker, depth: int) -> str:
    source, _ = maker.of(depth)
    return f"""select ts, k, v from {source} union all
        select timestamp'2024-01-01 00:00:30', x, 7 from values ('a'), ('c') t(x)"""


def spread(maker: Maker, depth: int) -> str:
    source, _ = maker.of(depth)
    return f"select ts, k, w v from {source} lateral view explode(array(v, v + 1)) as w"


PIECES: tuple[Callable[[Maker, int], str], ...] = (
    rows_by_condition,
    windows,
    windows,
    minutes,
    sessions,
    distinct,
    both,
    near,
    near,
    at_once,
    there,
    numbered,
    first,
    of_all_time,
    with_table,
    spread,
    starts,
    in_order,
    in_order,
    oldest,
    with_constants,
)

UNBOUNDED = (of_all_time, with_table, in_order, oldest)
"""Whose state no watermark ends."""
BOUNDED = tuple(piece for piece in PIECES if piece not in UNBOUNDED)
