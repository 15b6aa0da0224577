"""Decides about requests, for the middleware of ASGI and WSGI."""

import logging
import re
import time
from collections.abc import Callable, Iterable, Sequence
from typing import Final, Generic, TypeVar
from urllib.parse import urlsplit

from .errors import VerifierError, VerifierUnavailable
from .key_locations import Headers, KeyLocations
from .problems import Rejection, Response, response_to
from .signing import content_digest
from .source import TrustedProxies
from .verdict import Env, Verdict, VerifiedKey
from .verifier import ReceivedRequest, Verifier

_SCOPE: Final = re.compile(r"[\x21\x23-\x5b\x5d-\x7e]{1,100}")
MAX_SCOPES: Final = 50

_RELEVANT_HEADERS: Final = frozenset(
    {"content-digest", "content-length", "host", "signature", "signature-input", "transfer-encoding"}
)
"""The header fields that a signature depends on."""

_SOURCE_MISSING: Final = (
    "The API key has an allow-list, and the address of the caller is not known: the server must report it, and each"
    " trusted proxy must send it in X-Forwarded-For."
)

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
    - `on_verifier_error`: called for every request that gets 503. The error contains no secret. Default: logs one of
      them per minute with the logger `latchkey`.

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
        self.verifier: Final = verifier
        self.env: Final[Env | None] = env
        self.scopes: Final = tuple(require_scopes)
        self.locations: Final = KeyLocations(key_locations)
        self.proxies: Final = TrustedProxies(trusted_proxies)
        self.body_limit: Final = body_limit
        self._origin = None if origin is None else _parse_origin(origin)
        self._errors_url = errors_url
        self._on_verifier_error = on_verifier_error or self._log
        self._logged_at = float("-inf")

    def find_key(self, headers: Headers) -> str:
        """Returns the presented key. Raises Rejection if there is not exactly one."""
        self.locations.reject_repeated(headers)
        key = self.locations.find(dict(headers))
        if key is None:
            raise Rejection("UNAUTHENTICATED", f"Send it as {self.locations.instruction}.")
        return key

    def received(
        self, method: str, origin: str, target: str, headers: Headers, body: bytes | None
    ) -> ReceivedRequest:
        """Describes a signed request. `body` is None if its bytes are not known: a body is then rejected."""
        relevant: dict[str, str] = {}
        for name, value in headers:
            if name in _RELEVANT_HEADERS:
                relevant[name] = f"{relevant[name]}, {value}" if name in relevant else value
        digest = None if body is None else f"{content_digest('sha-256', body)}, {content_digest('sha-512', body)}"
        # An absolute request target has the same authority as Host (RFC 9112, section 3.2.2).
        path = re.sub("^https?://[^/?]*", "", target, flags=re.IGNORECASE)
        return ReceivedRequest(method, f"{self._origin or origin}{path}", relevant, digest)

    def key_of(self, verdict: Verdict, source_ip: str | None) -> VerifiedKey:
        """Returns the valid key. Raises Rejection if it is not valid."""
        if verdict.key is not None:
            return verdict.key
        is_source_missing = verdict.code == "SOURCE_NOT_ALLOWED" and source_ip is None
        raise Rejection(
            verdict.code,
            _SOURCE_MISSING if is_source_missing else None,
            retry_after=1 if verdict.rate_limit is None else verdict.rate_limit.reset_seconds,
            rate_limit=verdict.rate_limit,
        )

    def response_to(self, error: Rejection | VerifierError) -> Response:
        """Returns the answer to a request that does not pass. Reports the error if there is no verdict."""
        if isinstance(error, VerifierError):
            self._on_verifier_error(error)
            retry_after = error.retry_after if isinstance(error, VerifierUnavailable) else None
            error = Rejection("UNAVAILABLE", retry_after=1 if retry_after is None else retry_after)
        is_scope = error.code == "INSUFFICIENT_SCOPE"
        challenge = self.locations.scope_challenge(self.scopes) if is_scope else self.locations.challenge
        return response_to(error, challenge, self._errors_url)

    def _log(self, error: VerifierError) -> None:
        """Logs at most one error per minute: during an outage, the log must not grow with the load."""
        now = time.monotonic()
        if now - self._logged_at >= 60:
            self._logged_at = now
            message = "Requests get 503, because their keys cannot be verified. This is logged once per minute. %s"
            logging.getLogger("latchkey").error(message, error)


def is_signed(headers: Headers) -> bool:
    """Returns whether a request has a Signature or a Signature-Input field (RFC 9421, section 4)."""
    return any(value for name, value in headers if name in ("signature", "signature-input"))


def rate_limit_fields(key: VerifiedKey, present: Iterable[str]) -> Headers:
    """Returns the RateLimit fields that a response does not have itself."""
    names = {name.lower() for name in present}
    return [] if key.rate_limit is None else [field for field in key.rate_limit.headers() if field[0] not in names]


def _parse_origin(text: str) -> str:
    parts = urlsplit(text)
    origin = f"{parts.scheme}://{parts.netloc}"
    if parts.scheme not in ("http", "https") or not parts.netloc or text.rstrip("/") != origin:
        raise ValueError("origin must be a scheme and a host, such as https://api.example.com")
    return origin
