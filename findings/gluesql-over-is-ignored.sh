#!/usr/bin/env bash
# gluesql 0.20.0: OVER and FILTER are ignored, so a running sum is the sum of all rows, in one row.
#
# A window keeps each row and puts an aggregate beside it. GlueSQL reads OVER (PARTITION BY g), or
# (ORDER BY i), and computes the plain aggregate: four rows become one, beside the i of the first row.
# FILTER (WHERE i > 1) is read too, and the sum has all rows. Functions that are windows only, as
# row_number(), are errors. DISTINCT within an aggregate is heeded.
#
# Guess before the run: an error that windows and FILTER are not supported.
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
CREATE TABLE t (i INT, g INT, v INT)
INSERT INTO t VALUES (1, 1, 5), (2, 1, 10), (3, 2, 20), (4, 2, 20)
SELECT i, sum(v) OVER (PARTITION BY g) FROM t
SELECT i, sum(v) OVER (ORDER BY i) FROM t
SELECT i, max(v) OVER (ORDER BY i ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) FROM t
SELECT g, count(*) OVER () FROM t
SELECT g, sum(v), sum(v) OVER (ORDER BY g) FROM t GROUP BY g
SELECT sum(v), sum(v) FILTER (WHERE i > 1), count(*) FILTER (WHERE g = 1) FROM t
SELECT g, count(*) FILTER (WHERE v > 5) FROM t GROUP BY g
SELECT count(DISTINCT v), sum(DISTINCT v) FROM t
SQL
CARGO_TARGET_DIR="$work/target" cargo build -q --manifest-path "$work/Cargo.toml" >"$work/cargo" 2>&1 || { tail -5 "$work/cargo"; exit 1; }
expected='SELECT i, sum(v) OVER (PARTITION BY g) FROM t: 1 55
SELECT i, sum(v) OVER (ORDER BY i) FROM t: 1 55
SELECT i, max(v) OVER (ORDER BY i ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) FROM t: 1 20
SELECT g, count(*) OVER () FROM t: 1 4
SELECT g, sum(v), sum(v) OVER (ORDER BY g) FROM t GROUP BY g: 1 15 15, 2 40 40
SELECT sum(v), sum(v) FILTER (WHERE i > 1), count(*) FILTER (WHERE g = 1) FROM t: 55 55 4
SELECT g, count(*) FILTER (WHERE v > 5) FROM t GROUP BY g: 1 2, 2 2
SELECT count(DISTINCT v), sum(DISTINCT v) FROM t: 3 35'
seen=$("$work/target/debug/run" <"$work/queries" 2>"$work/errors") || { tail -5 "$work/errors"; exit 1; }
echo "$seen"
[ "$seen" = "$expected" ] || { echo "this has changed; expected:"; echo "$expected"; exit 1; }
