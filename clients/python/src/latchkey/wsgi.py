"""Middleware for WSGI applications (PEP 3333), such as Flask and Django."""

import io
from collections.abc import Callable, Iterable
from http import HTTPStatus
from typing import Any
from urllib.parse import quote

from .guard import Guard, is_signed_request
from .key_locations import Headers
from .problems import Rejection
from .verdict import VerifiedKey

Environ = dict[str, Any]
StartResponse = Callable[..., Any]
Application = Callable[[Environ, StartResponse], Iterable[bytes]]


class LatchkeyMiddleware(Guard[Application]):
    """Lets only requests with a valid API key reach a WSGI application. `Guard` describes the options.

    The key is in `environ["latchkey.key"]`, a VerifiedKey. The body of a signed request is read before the application
    runs, which then reads it from `wsgi.input`.

    WSGI joins repeated header fields, and those whose names differ in hyphens and underscores. With `trusted_proxies`,
    use a server or a proxy that drops names with underscores, as nginx and gunicorn do.
    """

    def __call__(self, environ: Environ, start_response: StartResponse) -> Iterable[bytes]:
        headers = self._headers_of(environ)
        found = self.find_key(headers)
        if isinstance(found, Rejection):
            return _reject(environ, start_response, found)
        request = None
        if is_signed_request(headers):
            body = self._read_body(environ)
            if isinstance(body, Rejection):
                return _reject(environ, start_response, body)
            origin, target = _url_of(environ)
            request = self.received(environ["REQUEST_METHOD"], origin, target, headers, body)
            # Nothing but these bytes was verified.
            environ = {**environ, "wsgi.input": io.BytesIO(body or b""), "CONTENT_LENGTH": str(len(body or b""))}
        source = self.source_of(environ.get("REMOTE_ADDR"), headers)
        outcome = self.verify(found, source, request)
        if isinstance(outcome, Rejection):
            return _reject(environ, start_response, outcome)
        environ = {**environ, "latchkey.key": outcome}
        return self.app(environ, _with_rate_limit(outcome, start_response))

    def _headers_of(self, environ: Environ) -> Headers:
        # A name that is configured with underscores has lost them here.
        configured = {name.replace("_", "-"): name for name in self.locations.headers}
        names = {name: name[5:] for name in environ if name.startswith("HTTP_")}
        length = [("content-length", environ["CONTENT_LENGTH"])] if environ.get("CONTENT_LENGTH") else []
        fields = [(names[name].replace("_", "-").lower(), environ[name]) for name in names]
        return length + [(configured.get(name, name), value) for name, value in fields]

    def _read_body(self, environ: Environ) -> bytes | Rejection | None:
        """Returns None if the body can't be read, or has not the length that it announces."""
        text = environ.get("CONTENT_LENGTH") or ""
        has_length = text.isascii() and text.isdigit()
        if not has_length and not environ.get("wsgi.input_terminated"):
            return None if text or "HTTP_TRANSFER_ENCODING" in environ else b""
        length = int(text[:20]) if has_length else self.body_limit + 1
        if has_length and length > self.body_limit:
            return self.body_too_large()
        body = _read(environ["wsgi.input"], length)
        if len(body) > self.body_limit:
            return self.body_too_large()
        return None if has_length and len(body) < length else body


def _read(stream: Any, length: int) -> bytes:
    """Reads up to a number of bytes. One call of `read` may return fewer."""
    body = bytearray()
    while len(body) < length and (part := stream.read(length - len(body))):
        body += part
    return bytes(body)


def _url_of(environ: Environ) -> tuple[str, str]:
    """Returns the scheme with the host, and the path with the query, as the client sent them.

    PEP 3333 has only the decoded path. Most servers also have the request target: Werkzeug, uWSGI and mod_wsgi in
    REQUEST_URI, gunicorn in RAW_URI. Otherwise, signatures of paths with unusual percent-encoding are rejected.
    """
    origin = f"{environ['wsgi.url_scheme']}://{environ.get('HTTP_HOST', '')}"
    target = environ.get("REQUEST_URI") or environ.get("RAW_URI")
    if target:
        return origin, target
    path = environ.get("SCRIPT_NAME", "") + environ.get("PATH_INFO", "")
    query = environ.get("QUERY_STRING", "")
    return origin, quote(path.encode("latin-1"), safe="/:@!$&'()*+,;=~") + (f"?{query}" if query else "")


def _with_rate_limit(key: VerifiedKey, start_response: StartResponse) -> StartResponse:
    if key.rate_limit is None:
        return start_response
    fields = key.rate_limit.headers()

    def start_with_fields(status: str, headers: list[tuple[str, str]], *rest: Any) -> Any:
        present = {name.lower() for name, _ in headers}
        added = [field for field in fields if field[0] not in present]
        return start_response(status, [*headers, *added], *rest)

    return start_with_fields


def _reject(environ: Environ, start_response: StartResponse, rejected: Rejection) -> Iterable[bytes]:
    phrase = HTTPStatus(rejected.status).phrase
    start_response(f"{rejected.status} {phrase}", rejected.headers)
    # Not all servers drop the body of an answer to HEAD (RFC 9110, section 9.3.2).
    return [] if environ["REQUEST_METHOD"] == "HEAD" else [rejected.body]
