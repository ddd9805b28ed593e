"""A package index of one's own, which offers source archives."""

import hashlib
import json
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class _Server(ThreadingHTTPServer):
    archives: Mapping[str, bytes]


class _Handler(BaseHTTPRequestHandler):
    server: _Server

    def do_GET(self) -> None:
        kind, name = self.path.strip("/").split("/")[:2]
        archive = self.server.archives.get(name.removesuffix("-1.0.tar.gz"))
        if archive is None:
            self._answer(404, "text/plain", b"")
        elif kind == "files":
            self._answer(200, "application/octet-stream", archive)
        else:
            self._answer(200, "application/vnd.pypi.simple.v1+json", _page(name, archive))

    def _answer(self, status: int, kind: str, body: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        return


def _page(name: str, archive: bytes) -> bytes:
    file = {
        "filename": f"{name}-1.0.tar.gz",
        "url": f"/files/{name}-1.0.tar.gz",
        "hashes": {"sha256": hashlib.sha256(archive).hexdigest()},
    }
    return json.dumps({"meta": {"api-version": "1.1"}, "name": name, "files": [file]}).encode()


@contextmanager
def serve(archives: Mapping[str, bytes]) -> Iterator[str]:
    """Offer version 1.0 of each name; yield the address of the index."""
    with _Server(("127.0.0.1", 0), _Handler) as server:
        server.archives = archives
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}/simple/"
        finally:
            server.shutdown()
            thread.join()
