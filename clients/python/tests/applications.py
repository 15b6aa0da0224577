"""Sends requests to applications behind the middleware, without a server."""

import asyncio
import io
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import unquote_to_bytes

import latchkey.asgi
import latchkey.wsgi
from latchkey import VerifiedKey


@dataclass
class Outcome:
    """What a client and the application see."""

    status: int = 0
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes = b""
    key: VerifiedKey | None = None
    received_body: bytes | None = None


Send = Callable[..., Outcome]


def send_asgi(request: dict[str, Any], peer: str | None = "127.0.0.1", **options: Any) -> Outcome:
    outcome = Outcome()

    async def app(scope: Any, receive: Any, send: Any) -> None:
        outcome.key = scope["state"]["api_key"]
        outcome.received_body = b""
        more = True
        while more:
            message = await receive()
            outcome.received_body += message["body"]
            more = message["more_body"]
        await send({"type": "http.response.start", "status": 200, "headers": [(b"x-app", b"1")]})
        await send({"type": "http.response.body", "body": b"done"})

    target = request["target"].encode("latin-1")
    path, _, query = target.partition(b"?")
    scope = {
        "type": "http",
        "method": request["method"],
        "scheme": "http",
        "path": unquote_to_bytes(path).decode(),
        "raw_path": path,
        "query_string": query,
        "headers": [(name.lower().encode(), value.encode("latin-1")) for name, value in request["headers"]],
        "client": None if peer is None else (peer, 1),
    }
    body = request.get("body", "").encode()
    half = len(body) // 2
    parts = [(body[:half], True), (body[half:], False)]

    async def receive() -> dict[str, Any]:
        part, more = parts.pop(0)
        return {"type": "http.request", "body": part, "more_body": more}

    async def send(message: Any) -> None:
        if message["type"] == "http.response.start":
            outcome.status = message["status"]
            outcome.headers = {name.decode(): value.decode() for name, value in message["headers"]}
        else:
            outcome.body += message["body"]

    asyncio.run(latchkey.asgi.LatchkeyMiddleware(app, **options)(scope, receive, send))
    return outcome


def send_wsgi(request: dict[str, Any], peer: str | None = "127.0.0.1", **options: Any) -> Outcome:
    outcome = Outcome()

    def app(environ: dict[str, Any], start_response: Any) -> list[bytes]:
        outcome.key = environ["latchkey.key"]
        outcome.received_body = environ["wsgi.input"].read(int(environ.get("CONTENT_LENGTH") or 0))
        start_response("200 OK", [("x-app", "1")])
        return [b"done"]

    def start_response(status: str, headers: list[tuple[str, str]]) -> None:
        outcome.status = int(status.split()[0])
        outcome.headers = dict(headers)

    path, _, query = request["target"].partition("?")
    environ: dict[str, Any] = {
        "REQUEST_METHOD": request["method"],
        "SCRIPT_NAME": "",
        "PATH_INFO": unquote_to_bytes(path).decode("latin-1"),
        "QUERY_STRING": query,
        "REQUEST_URI": request["target"],
        "wsgi.url_scheme": "http",
        "wsgi.input": io.BytesIO(request.get("body", "").encode() + b"the next request"),
        **({} if peer is None else {"REMOTE_ADDR": peer}),
    }
    for name, value in request["headers"]:
        variable = name.upper().replace("-", "_")
        variable = variable if variable in ("CONTENT_LENGTH", "CONTENT_TYPE") else f"HTTP_{variable}"
        environ[variable] = f"{environ[variable]},{value}" if variable in environ else value
    outcome.body = b"".join(latchkey.wsgi.LatchkeyMiddleware(app, **options)(environ, start_response))
    return outcome
