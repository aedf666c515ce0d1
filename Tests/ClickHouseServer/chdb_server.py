"""ClickHouse's HTTP interface over chdb, a recent engine as a library, for tests: chdb_server.py PORT FOLDER."""

import os
import re
import sys
import tempfile
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qsl, urlparse

from chdb import session

engine = session.Session(sys.argv[2])
turn = threading.Lock()  # A session executes one statement at a time.


def execute(statement, body, database):
    engine.query(f"USE {database}")
    if not body:
        return engine.query(statement, "TabSeparated").bytes()
    # The library takes rows only from a file.
    target, form = re.match(r"INSERT INTO (.*) FORMAT (\w+)$", statement, re.DOTALL).groups()
    with tempfile.NamedTemporaryFile(delete=False) as file:
        file.write(body)
    try:
        engine.query(f"INSERT INTO {target} FROM INFILE '{file.name}' FORMAT {form}")
    finally:
        os.unlink(file.name)
    return b""


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        parameters = dict(parse_qsl(urlparse(self.path).query))
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        statement = parameters.get("query")
        if statement is None:
            statement, body = body.decode(), b""
        try:
            with turn:
                status, answer = 200, execute(statement, body, parameters.get("database", "default"))
        except Exception as error:
            status, answer = 500, f"{error}\n".encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, *arguments):
        pass


ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()
