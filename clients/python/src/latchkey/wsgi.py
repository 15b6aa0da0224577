"""Middleware for WSGI applications (PEP 3333), such as Flask and Django."""

import io
from collections.abc import Callable, Iterable
from http import HTTPStatus
from typing import Any
from urllib.parse import quote

from .errors import VerifierError
from .guard import Guard, is_signed, rate_limit_fields
from .key_locations import Headers
from .problems import Rejection

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
        source_ip = self.proxies.source_of(environ.get("REMOTE_ADDR"), headers)
        request = None
        try:
            presented = self.find_key(headers)
            if is_signed(headers):
                body = self._read_body(environ)
                request = self.received(environ["REQUEST_METHOD"], *_url_of(environ), headers, body)
                # Nothing but these bytes was verified.
                read = {"wsgi.input": io.BytesIO(body or b""), "CONTENT_LENGTH": str(len(body or b""))}
                environ = {**environ, **read}
            verdict = self.verifier.verify(
                presented, env=self.env, source_ip=source_ip, scopes=self.scopes, request=request
            )
            key = self.key_of(verdict, source_ip)
        except (Rejection, VerifierError) as error:
            response = self.response_to(error)
            start_response(f"{response.status} {HTTPStatus(response.status).phrase}", response.headers)
            # Not all servers drop the body of an answer to HEAD (RFC 9110, section 9.3.2).
            return [] if environ["REQUEST_METHOD"] == "HEAD" else [response.body]

        def start_with_rate_limit(status: str, headers: list[tuple[str, str]], *rest: Any) -> Any:
            added = rate_limit_fields(key, (name for name, _ in headers))
            return start_response(status, [*headers, *added], *rest)

        return self.app({**environ, "latchkey.key": key}, start_with_rate_limit)

    def _headers_of(self, environ: Environ) -> Headers:
        # A name that is configured with underscores has lost them here.
        configured = {name.replace("_", "-"): name for name in self.locations.headers}
        headers = [("content-length", environ["CONTENT_LENGTH"])] if environ.get("CONTENT_LENGTH") else []
        for variable, value in environ.items():
            if variable.startswith("HTTP_"):
                name = variable[5:].replace("_", "-").lower()
                headers.append((configured.get(name, name), value))
        return headers

    def _read_body(self, environ: Environ) -> bytes | None:
        """Returns None if the body can't be read, or has not the length that it announces."""
        text = environ.get("CONTENT_LENGTH") or ""
        has_length = text.isascii() and text.isdigit()
        if not has_length and not environ.get("wsgi.input_terminated"):
            return None if text or "HTTP_TRANSFER_ENCODING" in environ else b""
        length = int(text[:20]) if has_length else self.body_limit + 1
        if has_length and length > self.body_limit:
            raise Rejection("PAYLOAD_TOO_LARGE")
        body = bytearray()
        # One call of `read` may return fewer bytes.
        while len(body) < length and (part := environ["wsgi.input"].read(length - len(body))):
            body += part
        if len(body) > self.body_limit:
            raise Rejection("PAYLOAD_TOO_LARGE")
        return None if has_length and len(body) < length else bytes(body)


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
