#!/usr/bin/env bash
# gluesql 0.20.0: true or null is null, and null is not in a list that has null.
#
# In SQL true OR null is true, and false AND null is false: the null does not matter. In GlueSQL both
# are null, so `i > 0 OR v > 6` loses the rows without v, and NOT (v > 6 AND i < 0) does. On the other
# hand 7 NOT IN (5, null) is true, where it is unknown, and null itself is not in a subquery, with or
# without a null among its rows. So NOT IN finds rows that it must not find.
#
# Guess before the run: the logic of SQL.
# Seen: see `expected` below. The script fails if the behaviour changes.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/src"
cat >"$work/Cargo.toml" <<'TOML'
[package]
name = "run"
version = "0.1.0"
edition = "2021"
[dependencies]
gluesql-core = "=0.20.0"
gluesql_memory_storage = "=0.20.0"
[profile.dev]
debug = false
TOML
cat >"$work/src/main.rs" <<'RS'
use gluesql_core::prelude::{Glue, Payload, Value};
use gluesql_memory_storage::MemoryStorage;
use std::io::BufRead;

fn text(value: &Value) -> String {
    match value {
        Value::Null => "null".into(),
        Value::I64(number) => number.to_string(),
        Value::F64(number) => number.to_string(),
        Value::Bool(truth) => truth.to_string(),
        other => format!("{other:?}"),
    }
}

fn main() {
    let mut glue = Glue::new(MemoryStorage::default());
    for line in std::io::stdin().lock().lines() {
        let query = line.unwrap();
        for payload in glue.execute(&query).unwrap() {
            if let Payload::Select { rows, .. } = payload {
                let mut found: Vec<String> = rows
                    .iter()
                    .map(|row| row.iter().map(text).collect::<Vec<_>>().join(" "))
                    .collect();
                found.sort();
                println!("{query}: {}", if found.is_empty() { "no rows".into() } else { found.join(", ") });
            }
        }
    }
}
RS
cat >"$work/queries" <<'SQL'
CREATE TABLE t (i INT, v INT NULL)
INSERT INTO t VALUES (1, 5), (2, NULL), (3, 7)
CREATE TABLE u (w INT NULL)
INSERT INTO u VALUES (5), (NULL)
SELECT TRUE OR NULL, NULL OR TRUE, FALSE AND NULL, NULL AND FALSE FROM t WHERE i = 1
SELECT i FROM t WHERE i > 0
SELECT i FROM t WHERE i > 0 OR v > 6
SELECT i FROM t WHERE NOT (v > 6 AND i < 0)
SELECT i, v NOT IN (5), v NOT IN (5, NULL), v NOT IN (SELECT w FROM u), v NOT IN (SELECT w FROM u WHERE w = 5) FROM t
SELECT i FROM t WHERE v NOT IN (5, NULL)
SELECT i FROM t WHERE v NOT IN (SELECT w FROM u)
SELECT i FROM t WHERE v NOT IN (SELECT w FROM u WHERE w = 5)
SQL
CARGO_TARGET_DIR="$work/target" cargo build -q --manifest-path "$work/Cargo.toml" >"$work/cargo" 2>&1 || { tail -5 "$work/cargo"; exit 1; }
expected='SELECT TRUE OR NULL, NULL OR TRUE, FALSE AND NULL, NULL AND FALSE FROM t WHERE i = 1: null null null null
SELECT i FROM t WHERE i > 0: 1, 2, 3
SELECT i FROM t WHERE i > 0 OR v > 6: 1, 3
SELECT i FROM t WHERE NOT (v > 6 AND i < 0): 1, 3
SELECT i, v NOT IN (5), v NOT IN (5, NULL), v NOT IN (SELECT w FROM u), v NOT IN (SELECT w FROM u WHERE w = 5) FROM t: 1 false false false false, 2 null null true true, 3 true true true true
SELECT i FROM t WHERE v NOT IN (5, NULL): 3
SELECT i FROM t WHERE v NOT IN (SELECT w FROM u): 2, 3
SELECT i FROM t WHERE v NOT IN (SELECT w FROM u WHERE w = 5): 2, 3'
seen=$("$work/target/debug/run" <"$work/queries" 2>"$work/errors") || { tail -5 "$work/errors"; exit 1; }
echo "$seen"
[ "$seen" = "$expected" ] || { echo "this has changed; expected:"; echo "$expected"; exit 1; }
