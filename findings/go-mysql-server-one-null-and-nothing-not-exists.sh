#!/usr/bin/env bash
# go-mysql-server 0.20.0 (the engine of Dolt): with one null in u.w, NOT EXISTS (... u.w = t.v) finds no row.
#
# NOT EXISTS is true where its subquery has no row. A comparison with null is unknown, and so adds no row. The
# engine computes NOT EXISTS as the anti-join of NOT IN: after one unknown comparison the row of t is gone,
# whether it has a partner or not. Of two rows against two it looks each up, and is right; of three it makes
# a hash join, and is wrong. For NOT IN it is the other way round: null NOT IN (1, 3) is unknown, and is null
# in SELECT, but a row with it passes WHERE if the list comes from a subquery. sqlite has what the standard
# and MySQL have.
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
CREATE TABLE t (i INT, v INT)
CREATE TABLE u (j INT, w INT)
INSERT INTO t VALUES (0, 1), (1, 7), (2, NULL)
INSERT INTO u VALUES (0, 1), (1, NULL)
SELECT i FROM t WHERE NOT EXISTS (SELECT 1 FROM u WHERE u.w = t.v)
INSERT INTO u VALUES (2, 3)
SELECT i FROM t WHERE NOT EXISTS (SELECT 1 FROM u WHERE u.w = t.v)
SELECT i FROM t WHERE NOT EXISTS (SELECT 1 FROM u WHERE u.w = t.v AND u.w > 0)
SELECT i FROM t WHERE NOT EXISTS (SELECT 1 FROM u WHERE u.w > t.v)
SELECT i FROM t LEFT JOIN u ON u.w = t.v WHERE j IS NULL
SELECT i FROM t WHERE v NOT IN (SELECT w FROM u WHERE w > 0)
SELECT i, v NOT IN (SELECT w FROM u WHERE w > 0) FROM t
SQL
cd "$work"
{ go mod init finding && go get github.com/dolthub/go-mysql-server@v0.20.0 && go mod tidy && go build -o finding .; } \
  >"$work/go" 2>&1 || { tail -5 "$work/go"; exit 1; }
expected='SELECT i FROM t WHERE NOT EXISTS (SELECT 1 FROM u WHERE u.w = t.v)
  1, 2; sqlite 1, 2
SELECT i FROM t WHERE NOT EXISTS (SELECT 1 FROM u WHERE u.w = t.v)
  no row; sqlite 1, 2
SELECT i FROM t WHERE NOT EXISTS (SELECT 1 FROM u WHERE u.w = t.v AND u.w > 0)
  1, 2; sqlite 1, 2
SELECT i FROM t WHERE NOT EXISTS (SELECT 1 FROM u WHERE u.w > t.v)
  no row; sqlite 1, 2
SELECT i FROM t LEFT JOIN u ON u.w = t.v WHERE j IS NULL
  1, 2; sqlite 1, 2
SELECT i FROM t WHERE v NOT IN (SELECT w FROM u WHERE w > 0)
  1, 2; sqlite 1
SELECT i, v NOT IN (SELECT w FROM u WHERE w > 0) FROM t
  0 0, 1 1, 2 null; sqlite 0 0, 1 1, 2 null'
seen=$(./finding <queries 2>"$work/errors" | python3 compare.py queries 2>>"$work/errors") || { tail -5 "$work/errors"; exit 1; }
echo "$seen"
[ "$seen" = "$expected" ] || { echo "this has changed; expected:"; echo "$expected"; exit 1; }
