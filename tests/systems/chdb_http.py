"""chdb behind the part of ClickHouse's HTTP interface that the sink uses: FOLDER PORT."""

import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Lock
from urllib.parse import parse_qsl, urlsplit

from chdb.session import Session

session = Session(sys.argv[1])
one_at_a_time = Lock()


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        settings = dict(parse_qsl(urlsplit(self.path).query))
        statement = settings.pop("query", "")
        body = self.body().decode()
        for name in ("session_id", "session_timeout"):  # the engine has one session
            settings.pop(name, None)
        if statement:
            head, form, name = statement.partition(" FORMAT ")
            given = ", ".join(f"{k} = '{v}'" for k, v in settings.items())
            body = f"{head} SETTINGS {given}{form}{name}\n{body}"
        try:
            with one_at_a_time:
                answer, status = session.query(body, "TabSeparated").bytes() or b"", 200
        except Exception as e:  # noqa: BLE001 - whatever the engine says is the answer
            answer, status = str(e).encode(), 500
        self.send_response(status)
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def body(self) -> bytes:
        if "chunked" not in self.headers.get("Transfer-Encoding", ""):
            return self.rfile.read(int(self.headers.get("Content-Length", 0)))
        parts = []
        while length := int(self.rfile.readline().strip(), 16):
            parts.append(self.rfile.read(length))
            self.rfile.readline()
        self.rfile.readline()
        return b"".join(parts)

    def log_message(self, *args: object) -> None:
        pass


ThreadingHTTPServer(("127.0.0.1", int(sys.argv[2])), Handler).serve_forever()
