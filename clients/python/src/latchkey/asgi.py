"""Middleware for ASGI applications, such as Starlette and FastAPI."""

from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any
from urllib.parse import quote

from .guard import Guard, is_signed_request
from .key_locations import Headers
from .problems import Rejection
from .verdict import VerifiedKey

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Application = Callable[[Scope, Receive, Send], Awaitable[None]]


class LatchkeyMiddleware(Guard[Application]):
    """Lets only requests with a valid API key reach an ASGI application. `Guard` describes the options.

    The key is in `scope["state"]["api_key"]`, a VerifiedKey: `request.state.api_key` in Starlette and FastAPI.

    The body of a signed request is read before the application runs, which then receives it in one message. A WebSocket
    is verified when it opens. It stays open when its key is revoked: an application that must not allow this calls
    `Verifier.verify_async` again. Use the middleware once per request: a signature is valid for one verification.
    """

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            return await self.app(scope, receive, send)
        if scope["type"] not in ("http", "websocket"):
            # A connection that this version can't verify must not pass.
            raise ValueError("LatchkeyMiddleware supports http, websocket and lifespan")
        headers = [(name.decode("latin-1").lower(), value.decode("latin-1")) for name, value in scope["headers"]]
        found = self.find_key(headers)
        if isinstance(found, Rejection):
            return await _send_rejection(scope, send, found)
        request = None
        if is_signed_request(headers):
            body = await self._read_body(scope, receive, headers)
            if body is None:
                return None
            if isinstance(body, Rejection):
                return await _send_rejection(scope, send, body)
            origin, target = _url_of(scope, headers)
            request = self.received(scope.get("method", "GET"), origin, target, headers, body)
            receive = _replaying(scope, body, receive)
        peer = scope["client"][0] if scope.get("client") else None
        outcome = await self.verify_async(found, self.source_of(peer, headers), request)
        if isinstance(outcome, Rejection):
            return await _send_rejection(scope, send, outcome)
        state = {**scope.get("state", {}), "api_key": outcome}
        return await self.app({**scope, "state": state}, receive, _with_rate_limit(outcome, send))

    async def _read_body(self, scope: Scope, receive: Receive, headers: Headers) -> bytes | Rejection | None:
        """Returns None if the client has gone."""
        if scope["type"] == "websocket":
            return b""
        body = bytearray()
        while True:
            message = await receive()
            if message["type"] != "http.request":
                return None
            body += message.get("body", b"")
            if len(body) > self.body_limit:
                return self.body_too_large()
            if not message.get("more_body", False):
                return bytes(body)


def _url_of(scope: Scope, headers: Headers) -> tuple[str, str]:
    """Returns the scheme with the host, and the path with the query, as the client sent them."""
    scheme = {"ws": "http", "wss": "https"}.get(scope.get("scheme", "http"), scope.get("scheme", "http"))
    path = scope.get("raw_path") or quote(scope["path"], safe="/:@!$&'()*+,;=~").encode()
    query = scope.get("query_string", b"")
    target = path + (b"?" + query if query else b"")
    return f"{scheme}://{dict(headers).get('host', '')}", target.decode("latin-1")


def _replaying(scope: Scope, body: bytes, receive: Receive) -> Receive:
    """Returns a function that receives the body again, and then what follows it."""
    messages: list[Message] = []
    if scope["type"] == "http":
        messages.append({"type": "http.request", "body": body, "more_body": False})

    async def replay() -> Message:
        return messages.pop() if messages else await receive()

    return replay


def _with_rate_limit(key: VerifiedKey, send: Send) -> Send:
    if key.rate_limit is None:
        return send
    fields = [(name.encode(), value.encode()) for name, value in key.rate_limit.headers()]

    async def send_with_fields(message: Message) -> None:
        if message["type"] in ("http.response.start", "websocket.accept"):
            headers = list(message.get("headers") or [])
            present = {bytes(name).lower() for name, _ in headers}
            message = {**message, "headers": headers + [field for field in fields if field[0] not in present]}
        await send(message)

    return send_with_fields


async def _send_rejection(scope: Scope, send: Send, rejected: Rejection) -> None:
    prefix = "http"
    if scope["type"] == "websocket":
        if "websocket.http.response" not in (scope.get("extensions") or {}):
            # The server answers a handshake that is closed before it is accepted with 403.
            return await send({"type": "websocket.close", "code": 1008})
        prefix = "websocket.http"
    headers = [(name.encode(), value.encode()) for name, value in rejected.headers]
    await send({"type": f"{prefix}.response.start", "status": rejected.status, "headers": headers})
    await send({"type": f"{prefix}.response.body", "body": rejected.body})
