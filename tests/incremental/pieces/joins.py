"""Joins of all kinds, and the subqueries that become joins."""

from incremental.pieces import piece
from incremental.random_plans import Maker


def _condition(maker: Maker, left: str, right: str) -> str:
    key = maker.pick(["k", "g"])
    equals = maker.pick(["=", "=", "<=>"])
    more = maker.pick(["", "", f" and {left}.v < {right}.v", f" and {left}.g = {right}.g"])
    return f"{left}.{key} {equals} {right}.{maker.pick(['k', key])}{more}"


@piece(weight=2)
def join(maker: Maker) -> str:
    (a, left), (b, right) = maker.source(), maker.source()
    kind = maker.pick(["join", "left join", "right join", "full join"])
    return (
        f"select {left}.k, {right}.g, {left}.v + coalesce({right}.v, 0) as v from {a} {kind} {b} "
        f"on {_condition(maker, left, right)}"
    )


@piece()
def semi_or_anti(maker: Maker) -> str:
    (a, left), (b, right) = maker.source(), maker.source()
    exists = maker.pick(["exists", "not exists", f"{left}.v > 1 or exists"])
    condition = _condition(maker, left, right)
    return f"select {left}.* from {a} where {exists} (select 1 from {b} where {condition})"


@piece()
def either(maker: Maker) -> str:
    (a, left), (b, right) = maker.source(), maker.source()
    kind = maker.pick(["join", "left join"])
    return (
        f"select {left}.k, {right}.g, {left}.v from {a} {kind} {b} "
        f"on {left}.k = {right}.k or {left}.g = {right}.g"
    )


@piece()
def using(maker: Maker) -> str:
    (a, left), (b, right) = maker.source(), maker.source()
    kind = maker.pick(["join", "left join", "right join", "full join"])
    return f"select k, {left}.g, {right}.v from {a} {kind} {b} using (k)"


@piece()
def computed_key(maker: Maker) -> str:
    (a, left), (b, right) = maker.source(), maker.source()
    kind = maker.pick(["join", "left join", "full join", "left anti join", "left semi join"])
    key = maker.pick(["{}.k + 1", "coalesce({}.g, {}.k)", "cast({}.v as bigint)", "{}.k % 2"])
    equal = f"{left}.k = {key.replace('{}', right)}"
    given = f"{left}.*" if "anti" in kind or "semi" in kind else f"{left}.k, {right}.g, {left}.v"
    return f"select {given} from {a} {kind} {b} on {equal}"


@piece()
def lateral(maker: Maker) -> str:
    (a, left), (b, right) = maker.source(), maker.source()
    inner = maker.pick(
        [
            f"select count(*) as n, max({right}.v) as most from {b} where {right}.k = {left}.k",
            f"select {right}.g as n, {right}.v as most from {b} where {right}.k = {left}.k "
            f"order by {right}.v desc, {right}.g limit 1",
            f"select {right}.g as n, {right}.v as most from {b} where {right}.g = {left}.g",
        ]
    )
    kind = maker.pick(["join", "left join"])
    return f"select {left}.k, x.n as g, x.most as v from {a} {kind} lateral ({inner}) x on true"


@piece()
def correlated_groups(maker: Maker) -> str:
    (a, left), (b, right) = maker.source(), maker.source()
    condition = maker.pick(
        [
            f"exists (select 1 from {b} where {right}.k = {left}.k "
            f"group by {right}.g having count(*) > 1)",
            f"{left}.k in (select {right}.k from {b} group by {right}.k having sum({right}.v) > 1)",
            f"({left}.k, {left}.g) in (select {right}.k, {right}.g from {b})",
            f"({left}.k, {left}.g) not in (select {right}.k, {right}.g from {b} where v > 1)",
            f"{left}.k in (select {right}.k from {b} where {right}.g = {left}.g)",
            f"{left}.k not in (select {right}.k from {b} where {right}.g = {left}.g)",
            f"(select count(*) from {b} where {right}.k = {left}.k) > 1",
            f"{left}.v = (select max({right}.v) from {b} where {right}.g <=> {left}.g)",
        ]
    )
    return f"select {left}.* from {a} where {condition}"


@piece()
def membership(maker: Maker) -> str:
    (a, left), (b, right) = maker.source(), maker.source()
    word = maker.pick(["in", "not in"])
    return f"select * from {a} where {left}.k {word} (select {right}.g from {b} where v > 0)"


@piece()
def correlated_value(maker: Maker) -> str:
    (a, left), (b, right) = maker.source(), maker.source()
    call = maker.pick(["max(v)", "cast(count(*) as double)", "sum(v)"])
    return (
        f"select {left}.k, {left}.g, "
        f"(select {call} from {b} where {right}.k = {left}.k) as v from {a}"
    )


@piece()
def single_value(maker: Maker) -> str:
    (a, left), (b, _) = maker.source(), maker.source()
    best = f"select k as n, max(v) as best from {b} group by k"
    return (
        f"select {left}.k, {left}.g, (select best from ({best}) where n = {left}.k) as v from {a}"
    )


@piece()
def near(maker: Maker) -> str:
    (a, left), (b, right) = maker.source(), maker.source()
    kind = maker.pick(["join", "left join", "right join", "full join"])
    low, high = maker.pick([("0", "1"), ("1", "2"), ("3", "0")])
    timed = "select *, timestamp_seconds(v) ts from"
    return (
        f"select {left}.k, {right}.g, {left}.v + coalesce({right}.v, 0) as v "
        f"from ({timed} {a}) {left} {kind} ({timed} {b}) {right} "
        f"on {left}.k = {right}.k and {left}.ts between {right}.ts - interval {low} second "
        f"and {right}.ts + interval {high} second"
    )


@piece()
def theta(maker: Maker) -> str:
    (a, left), (b, right) = maker.source(), maker.source()
    kind = maker.pick(["join", "left join"])
    return (
        f"select {left}.k, {right}.g, {right}.v from {a} {kind} {b} on {left}.v < {right}.v"
        f" and {left}.k > 1"
    )
