"""Middleware for ASGI applications, such as Starlette and FastAPI."""

from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any
from urllib.parse import quote

from .errors import VerifierError
from .guard import Guard, is_signed, rate_limit_fields
from .key_locations import Headers
from .problems import Rejection, Response

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Application = Callable[[Scope, Receive, Send], Awaitable[None]]


class _ClientHasGone(Exception):
    """The connection ended while the body was read."""


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
        source_ip = self.proxies.source_of(scope["client"][0] if scope.get("client") else None, headers)
        request = None
        try:
            presented = self.find_key(headers)
            if is_signed(headers):
                body = await self._read_body(scope, receive)
                request = self.received(scope.get("method", "GET"), *_url_of(scope, headers), headers, body)
                receive = _replaying(scope, body, receive)
            verdict = await self.verifier.verify_async(
                presented, env=self.env, source_ip=source_ip, scopes=self.scopes, request=request
            )
            key = self.key_of(verdict, source_ip)
        except _ClientHasGone:
            return
        except (Rejection, VerifierError) as error:
            return await _send_response(scope, send, self.response_to(error))

        async def send_with_rate_limit(message: Message) -> None:
            if message["type"] in ("http.response.start", "websocket.accept"):
                own = list(message.get("headers") or [])
                added = rate_limit_fields(key, (bytes(name).decode("latin-1") for name, _ in own))
                message = {**message, "headers": own + _encoded(added)}
            await send(message)

        await self.app({**scope, "state": {**scope.get("state", {}), "api_key": key}}, receive, send_with_rate_limit)

    async def _read_body(self, scope: Scope, receive: Receive) -> bytes:
        body = bytearray()
        has_more = scope["type"] == "http"
        while has_more:
            message = await receive()
            if message["type"] != "http.request":
                raise _ClientHasGone
            body += message.get("body", b"")
            if len(body) > self.body_limit:
                raise Rejection("PAYLOAD_TOO_LARGE")
            has_more = message.get("more_body", False)
        return bytes(body)


def _encoded(headers: Headers) -> list[tuple[bytes, bytes]]:
    return [(name.encode(), value.encode()) for name, value in headers]


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


async def _send_response(scope: Scope, send: Send, response: Response) -> None:
    prefix = "http"
    if scope["type"] == "websocket":
        if "websocket.http.response" not in (scope.get("extensions") or {}):
            # The server answers a handshake that is closed before it is accepted with 403.
            return await send({"type": "websocket.close", "code": 1008})
        prefix = "websocket.http"
    headers = _encoded(response.headers)
    await send({"type": f"{prefix}.response.start", "status": response.status, "headers": headers})
    await send({"type": f"{prefix}.response.body", "body": response.body})
