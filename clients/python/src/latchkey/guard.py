"""Decides about requests, for the middleware of ASGI and WSGI."""

import logging
import re
import time
from collections.abc import Callable, Sequence
from typing import Final, Generic, TypeVar
from urllib.parse import urlsplit

from .errors import VerifierError, VerifierUnavailable
from .key_locations import AmbiguousKey, Headers, KeyLocations
from .problems import Rejection, rejection
from .signing import content_digest
from .source import TrustedProxies
from .verdict import Env, Verdict, VerifiedKey
from .verifier import RELEVANT_HEADERS, ReceivedRequest, Verifier, is_signed

_SCOPE: Final = re.compile(r"[\x21\x23-\x5b\x5d-\x7e]{1,100}")
MAX_SCOPES: Final = 50

_Application = TypeVar("_Application")


class Guard(Generic[_Application]):
    """Lets only requests with a valid API key reach an application.

    Rejected requests get a problem document (RFC 9457) with status 400, 401, 403, 413, 429, or 503 without a verdict.
    If the key has a rate limit, the responses of the application get the RateLimit fields, unless it sets them itself.

    - `verifier`: the client of the verification port. Share one between several middlewares; the caller closes it.
    - `env`: rejects keys of the other environment.
    - `require_scopes`: rejects keys that lack one of these scopes.
    - `key_locations`: where the key is: `authorization` (Bearer), `header:<name>`, `basic`, `basic:username`,
      `basic:password`. A request with two different keys gets 401. The key is never read from the URL.
    - `trusted_proxies`: addresses and CIDR ranges of proxies whose X-Forwarded-For names the caller. Default: none.
    - `origin`: the scheme and host that callers use, such as `https://api.example.com`. Default: those of the request.
      Set it if a proxy changes Host, or if several services share one Latchkey: a request that was signed for one
      service is then never valid at another, even if the sender changes Host.
    - `body_limit`: the maximum size in bytes of the body of a signed request. Other bodies are not read.
    - `errors_url`: a page about the codes; `type` of problem documents is its entry `#<code>`.
    - `on_verifier_error`: called for every request that gets 503. The error contains no secret. Default: logs the
      first one with the logger `latchkey`, and later ones at most once per minute.

    Raises ValueError or TypeError for invalid options.
    """

    def __init__(
        self,
        app: _Application,
        *,
        verifier: Verifier,
        env: Env | None = None,
        require_scopes: Sequence[str] = (),
        key_locations: Sequence[str] = ("authorization",),
        trusted_proxies: Sequence[str] = (),
        origin: str | None = None,
        body_limit: int = 1_048_576,
        errors_url: str | None = None,
        on_verifier_error: Callable[[VerifierError], None] | None = None,
    ) -> None:
        # A string is a sequence too: each of its letters would be an item.
        for option in (require_scopes, key_locations, trusted_proxies):
            if isinstance(option, str):
                raise TypeError("require_scopes, key_locations and trusted_proxies must be lists")
        if env not in (None, "live", "test"):
            raise ValueError("env must be live or test")
        if len(require_scopes) > MAX_SCOPES or not all(map(_SCOPE.fullmatch, require_scopes)):
            raise ValueError(f"require_scopes must be a list of at most {MAX_SCOPES} scope tokens")
        if body_limit < 0:
            raise ValueError("body_limit must be a number of bytes")
        self.app = app
        self.body_limit: Final = body_limit
        self._verifier = verifier
        self._env: Env | None = env
        self._scopes = tuple(require_scopes)
        self.locations: Final = KeyLocations(key_locations)
        self._proxies = TrustedProxies(trusted_proxies)
        self._origin = None if origin is None else _parse_origin(origin)
        self._errors_url = errors_url
        self._on_verifier_error = on_verifier_error or _ErrorLog().write

    def find_key(self, headers: Headers) -> str | Rejection:
        """Returns the presented key."""
        problem = self.locations.repeated(headers)
        if problem is not None:
            return self._reject("BAD_USER_INPUT", problem)
        try:
            key = self.locations.find(dict(headers))
        except AmbiguousKey as ambiguous:
            return self._reject("UNAUTHENTICATED", str(ambiguous))
        return key or self._reject("UNAUTHENTICATED", f"Send it as {self.locations.instruction}.")

    def source_of(self, peer: str | None, headers: Headers) -> str | None:
        """Returns the IP address of the caller."""
        return self._proxies.source_of(peer, [value for name, value in headers if name == "x-forwarded-for"])

    def body_too_large(self) -> Rejection:
        return self._reject("PAYLOAD_TOO_LARGE")

    def received(
        self, method: str, origin: str, target: str, headers: Headers, body: bytes | None
    ) -> ReceivedRequest:
        """Describes a signed request. `body` is None if its bytes are not known: a body is then rejected."""
        relevant: dict[str, str] = {}
        for name, value in headers:
            if name in RELEVANT_HEADERS:
                relevant[name] = f"{relevant[name]}, {value}" if name in relevant else value
        digest = None if body is None else f"{content_digest('sha-256', body)}, {content_digest('sha-512', body)}"
        # An absolute request target has the same authority as Host (RFC 9112, section 3.2.2).
        path = re.sub("^https?://[^/?]*", "", target, flags=re.IGNORECASE)
        return ReceivedRequest(method, f"{self._origin or origin}{path}", relevant, digest)

    def verify(self, key: str, source_ip: str | None, request: ReceivedRequest | None) -> VerifiedKey | Rejection:
        """Returns the key, or the answer that rejects the request."""
        try:
            verdict = self._verifier.verify(
                key, env=self._env, source_ip=source_ip, scopes=self._scopes, request=request
            )
        except VerifierError as error:
            return self._no_verdict(error)
        return self._decide(verdict, source_ip)

    async def verify_async(
        self, key: str, source_ip: str | None, request: ReceivedRequest | None
    ) -> VerifiedKey | Rejection:
        """Returns the same as `verify`, without blocking the event loop."""
        try:
            verdict = await self._verifier.verify_async(
                key, env=self._env, source_ip=source_ip, scopes=self._scopes, request=request
            )
        except VerifierError as error:
            return self._no_verdict(error)
        return self._decide(verdict, source_ip)

    def _decide(self, verdict: Verdict, source_ip: str | None) -> VerifiedKey | Rejection:
        if verdict.key is not None:
            return verdict.key
        is_source_missing = verdict.code == "SOURCE_NOT_ALLOWED" and source_ip is None
        return rejection(
            verdict.code,
            detail=_SOURCE_MISSING if is_source_missing else None,
            challenge=self._challenge(verdict.code),
            rate_limit=verdict.rate_limit,
            errors_url=self._errors_url,
        )

    def _challenge(self, code: str) -> str:
        is_scope = code == "INSUFFICIENT_SCOPE"
        return self.locations.scope_challenge(self._scopes) if is_scope else self.locations.challenge

    def _no_verdict(self, error: VerifierError) -> Rejection:
        self._on_verifier_error(error)
        retry_after = error.retry_after if isinstance(error, VerifierUnavailable) else None
        seconds = 1 if retry_after is None else retry_after
        return rejection("UNAVAILABLE", retry_after=seconds, errors_url=self._errors_url)

    def _reject(self, code: str, detail: str | None = None) -> Rejection:
        return rejection(
            code, detail=detail, challenge=self.locations.challenge, errors_url=self._errors_url
        )


def is_signed_request(headers: Headers) -> bool:
    # An empty field may be repeated, so a dictionary could lose the other one.
    return any(is_signed({name: value}) for name, value in headers)


_SOURCE_MISSING: Final = (
    "The API key has an allow-list, and the address of the caller is not known: the server must report it, and each"
    " trusted proxy must send it in X-Forwarded-For."
)


def _parse_origin(text: str) -> str:
    parts = urlsplit(text)
    origin = f"{parts.scheme}://{parts.netloc}"
    if parts.scheme not in ("http", "https") or not parts.netloc or text.rstrip("/") != origin:
        raise ValueError("origin must be a scheme and a host, such as https://api.example.com")
    return origin


class _ErrorLog:
    """Logs the first error, then at most one per minute: during an outage, the log must not grow with the load."""

    def __init__(self) -> None:
        self._written_at = float("-inf")
        self._unwritten = 0

    def write(self, error: VerifierError) -> None:
        now = time.monotonic()
        if now - self._written_at < 60:
            self._unwritten += 1
            return
        others = f" (and {self._unwritten} others since the last message)" if self._unwritten else ""
        self._written_at, self._unwritten = now, 0
        logging.getLogger("latchkey").error(
            "A request got 503%s, because its key could not be verified. %s", others, error
        )
