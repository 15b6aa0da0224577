"""Serves the `app` of a program on a free port of the loopback interface, and prints the port.

`python -m tests.serve asgi app.py` uses uvicorn with its defaults, `wsgi` the server of the standard library.
"""

import importlib
import runpy
import socket
import sys
from typing import Any
from wsgiref.simple_server import WSGIRequestHandler, make_server


class QuietHandler(WSGIRequestHandler):
    def log_message(self, *_: object) -> None:
        pass


def serve(kind: str, program: str) -> None:
    app: Any = runpy.run_path(program)["app"]
    if kind == "wsgi":
        with make_server("127.0.0.1", 0, app, handler_class=QuietHandler) as server:
            print(server.server_port, flush=True)
            server.serve_forever()
    uvicorn: Any = importlib.import_module("uvicorn")
    with socket.create_server(("127.0.0.1", 0)) as listener:
        print(listener.getsockname()[1], flush=True)
        uvicorn.Server(uvicorn.Config(app, log_level="warning")).run(sockets=[listener])


if __name__ == "__main__":
    serve(*sys.argv[1:])
