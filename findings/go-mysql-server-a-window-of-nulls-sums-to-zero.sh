#!/usr/bin/env bash
# go-mysql-server 0.20.0 (the engine of Dolt): over a window of nulls, sum(v) is 0 and avg(v) is NaN.
#
# The sum and the average of no values are null. As aggregates they are in this engine too; the same functions
# over a window begin with 0, and divide it by 0. NaN is not a value that MySQL has, and it passes on: coalesce()
# takes it for a value, and makes the least integer of it. min(v) is null. sqlite has null for both, as the
# standard and MySQL.
#
# Guess before the run: the rows of sqlite.
# Seen: see `expected` below. The script fails if the behaviour changes.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cat >"$work/main.go" <<'GO'
package main

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"sort"
	"strings"

	sqle "github.com/dolthub/go-mysql-server"
	"github.com/dolthub/go-mysql-server/memory"
	"github.com/dolthub/go-mysql-server/sql"
)

func run(ctx *sql.Context, engine *sqle.Engine, query string) (string, error) {
	_, result, _, err := engine.Query(ctx, query)
	if err != nil {
		return "", err
	}
	rows, err := sql.RowIterToRows(ctx, result)
	if err != nil {
		return "", err
	}
	shown := []string{}
	for _, row := range rows {
		values := []string{}
		for _, value := range row {
			values = append(values, strings.Replace(fmt.Sprint(value), "<nil>", "null", 1))
		}
		shown = append(shown, strings.Join(values, " "))
	}
	sort.Strings(shown)
	return strings.Join(shown, ", "), nil
}

func main() {
	provider := memory.NewDBProvider(memory.NewDatabase("finding"))
	engine := sqle.NewDefault(provider)
	ctx := sql.NewContext(context.Background(), sql.WithSession(memory.NewSession(sql.NewBaseSession(), provider)))
	ctx.SetCurrentDatabase("finding")
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		shown, err := run(ctx, engine, lines.Text())
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		if strings.HasPrefix(lines.Text(), "SELECT") {
			fmt.Printf("%s: %s\n", lines.Text(), shown)
		}
	}
}
GO
cat >"$work/compare.py" <<'PY'
import sqlite3
import sys

database = sqlite3.connect(":memory:")
lines = sys.stdin.read().splitlines()
for query in open(sys.argv[1]).read().splitlines():
    rows = database.execute(query).fetchall()
    if query.startswith("SELECT"):
        shown = sorted(" ".join("null" if value is None else str(value) for value in row) for row in rows)
        found = lines.pop(0).removeprefix(query + ":").strip().replace("true", "1").replace("false", "0")
        print(f"{query}\n  {found or 'no row'}; sqlite {', '.join(shown) or 'no row'}")
PY
cat >"$work/queries" <<'SQL'
CREATE TABLE t (i INT, g INT, v INT)
CREATE TABLE u (j INT)
INSERT INTO t VALUES (0, 1, 5), (1, 1, NULL), (2, 2, NULL)
INSERT INTO u VALUES (0)
SELECT g, sum(v), avg(v) FROM t GROUP BY g
SELECT i, sum(v) OVER (PARTITION BY g) FROM t
SELECT i, avg(v) OVER (PARTITION BY g) FROM t
SELECT i, coalesce(avg(v) OVER (PARTITION BY g), -1) FROM t
SELECT i, sum(v) OVER (ORDER BY i DESC) FROM t
SELECT i, min(v) OVER (PARTITION BY g) FROM t
SQL
cd "$work"
{ go mod init finding && go get github.com/dolthub/go-mysql-server@v0.20.0 && go mod tidy && go build -o finding .; } \
  >"$work/go" 2>&1 || { tail -5 "$work/go"; exit 1; }
expected='SELECT g, sum(v), avg(v) FROM t GROUP BY g
  1 5 5, 2 null null; sqlite 1 5 5.0, 2 null null
SELECT i, sum(v) OVER (PARTITION BY g) FROM t
  0 5, 1 5, 2 0; sqlite 0 5, 1 5, 2 null
SELECT i, avg(v) OVER (PARTITION BY g) FROM t
  0 5, 1 5, 2 NaN; sqlite 0 5.0, 1 5.0, 2 null
SELECT i, coalesce(avg(v) OVER (PARTITION BY g), -1) FROM t
  0 5, 1 5, 2 -2147483648; sqlite 0 5.0, 1 5.0, 2 -1
SELECT i, sum(v) OVER (ORDER BY i DESC) FROM t
  0 5, 1 0, 2 0; sqlite 0 5, 1 null, 2 null
SELECT i, min(v) OVER (PARTITION BY g) FROM t
  0 5, 1 5, 2 null; sqlite 0 5, 1 5, 2 null'
seen=$(./finding <queries 2>"$work/errors" | python3 compare.py queries 2>>"$work/errors") || { tail -5 "$work/errors"; exit 1; }
echo "$seen"
[ "$seen" = "$expected" ] || { echo "this has changed; expected:"; echo "$expected"; exit 1; }
