"""Signs requests by the profile `latchkey-v1` of HTTP Message Signatures (RFC 9421): see docs/tasks/signing.md.

Needs nothing else of this package, so that programs can also copy this file.
"""

import base64
import hashlib
import hmac
import re
import secrets
import time
from collections.abc import Callable, Mapping
from functools import partial
from types import NoneType
from typing import Any, Final, TypeVar
from urllib.parse import urlsplit

MAX_LIFETIME_SECONDS: Final = 300

_Request = TypeVar("_Request")


def sign_request(
    method: str,
    url: str,
    *,
    key_id: str,
    signing_secret: str,
    body: bytes | None = None,
    headers: Mapping[str, str] | None = None,
    created: int | None = None,
    expires_in: int = 60,
    nonce: str | None = None,
) -> dict[str, str]:
    """Returns the header fields to add to a request, with names in lower case.

    `method` and the absolute `url` are signed as they will be sent; `body` is the whole body after any content coding,
    None for a request without one. A Content-Digest in `headers` must match the body, and is signed. `key_id` is the
    id of the key (neither its secret nor its prefix), `signing_secret` the 64 hexadecimal characters that Latchkey
    returned. `created` is in seconds since 1970 (default: now), `expires_in` 1 to 300 seconds.

    Sign each attempt anew: a signature is accepted once. Raises ValueError for invalid input, without repeating it.
    """
    _check(key_id, signing_secret)
    created = int(time.time()) if created is None else created
    nonce = secrets.token_urlsafe(16) if nonce is None else nonce
    if created < 0 or not 1 <= expires_in <= MAX_LIFETIME_SECONDS:
        raise ValueError(f"created must be a time after 1970, and expires_in 1 to {MAX_LIFETIME_SECONDS} seconds")
    if not re.fullmatch("[A-Za-z0-9_-]{22,128}", nonce):
        raise ValueError("nonce must be 22 to 128 characters of base64url")
    components = _target(method, url)
    digest = _digest_to_sign(body, {name.lower(): value for name, value in (headers or {}).items()})
    if digest is not None:
        components["content-digest"] = digest
    covered = " ".join(f'"{name}"' for name in components)
    parameters = (
        f"({covered});created={created};expires={created + expires_in}"
        f';nonce="{nonce}";keyid="{key_id}";alg="hmac-sha256";tag="latchkey-v1"'
    )
    lines = [f'"{name}": {value}' for name, value in components.items()]
    base = "\n".join([*lines, f'"@signature-params": {parameters}'])
    mac = hmac.digest(bytes.fromhex(signing_secret), base.encode("ascii"), hashlib.sha256)
    return {
        **({} if digest is None else {"content-digest": digest}),
        "signature-input": f"sig1={parameters}",
        "signature": f"sig1=:{base64.b64encode(mac).decode()}:",
    }


class SignedAuth:
    """Sends an API key and signs every request: `httpx.Client(auth=…)`, `requests.Session().auth = …`.

    Both libraries call it with each request before they send it. The body must be in memory, because the header fields
    need its digest. A redirect is sent with the signature of the first request, and therefore rejected.

    `now` returns the time in seconds since 1970. Raises ValueError for invalid arguments, without repeating them.
    """

    def __init__(
        self, api_key: str, key_id: str, signing_secret: str, *, now: Callable[[], float] = time.time
    ) -> None:
        _check(key_id, signing_secret)
        if not re.fullmatch(r"[\x21-\x7e]+", api_key):
            raise ValueError("api_key must be the secret of a key: visible ASCII characters")
        if api_key.startswith(key_id):
            raise ValueError("key_id must be the id of the key, not its secret or prefix")
        self._api_key = api_key
        self._sign = partial(sign_request, key_id=key_id, signing_secret=signing_secret)
        self._now = now

    def __call__(self, request: _Request) -> _Request:
        """Adds the header fields to a request of httpx or a prepared request of requests."""
        # Neither library is imported, so their requests are told apart by what they have.
        sent: Any = request
        body = _httpx_body(sent) if hasattr(sent, "read") else _requests_body(sent)
        signed = self._sign(sent.method, str(sent.url), body=body, headers=sent.headers, created=int(self._now()))
        sent.headers.update({"authorization": f"Bearer {self._api_key}", **signed})
        return request


def _httpx_body(request: Any) -> bytes | None:
    try:
        content: bytes = request.read()
    except (RuntimeError, AssertionError):
        raise TypeError(_NOT_IN_MEMORY) from None
    has_body = content or "content-length" in request.headers or "transfer-encoding" in request.headers
    return content if has_body else None


def _requests_body(request: Any) -> bytes | None:
    # As bytes, because http.client would encode a text as Latin-1.
    if isinstance(request.body, str):
        request.body = request.body.encode()
    body: bytes | None = request.body
    if not isinstance(body, (bytes, NoneType)):
        raise TypeError(_NOT_IN_MEMORY)
    return body


_NOT_IN_MEMORY: Final = "The body of a signed request must be in memory: the digest of a stream is not known"


def _check(key_id: str, signing_secret: str) -> None:
    # Rejects characters that a Structured Fields string must escape (RFC 9651, section 3.3.3).
    if not re.fullmatch(r"[\x20\x21\x23-\x5b\x5d-\x7e]{1,256}", key_id):
        raise ValueError("key_id must be the id of a key")
    if not re.fullmatch("[0-9a-fA-F]{64}", signing_secret):
        raise ValueError("signing_secret must be 64 hexadecimal characters")


def _target(method: str, url: str) -> dict[str, str]:
    """Returns the derived components of RFC 9421, section 2.2, in their order."""
    if not re.fullmatch(r"[!#$%&'*+\-.^_`|~0-9A-Za-z]{1,64}", method):
        raise ValueError("method must be a token of at most 64 characters")
    # `urlsplit` would drop line feeds and tabs.
    if not re.fullmatch(r"[\x21-\x7e]+", url):
        raise ValueError("url must be printable ASCII without spaces")
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https", "ws", "wss") or not parts.hostname:
        raise ValueError("url must be an absolute http, https, ws or wss one")
    if "@" in parts.netloc:
        raise ValueError("url must have no user name and no password")
    host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    is_default = parts.port in (None, 443 if parts.scheme in ("https", "wss") else 80)
    return {
        "@method": method,
        "@authority": host if is_default else f"{host}:{parts.port}",
        "@path": parts.path or "/",
        "@query": f"?{parts.query}",
    }


def _digest_to_sign(body: bytes | None, headers: Mapping[str, str]) -> str | None:
    if "signature" in headers or "signature-input" in headers:
        raise ValueError("headers must not contain a signature: a request has only one")
    given = headers.get("content-digest")
    if given is None:
        return None if body is None else content_digest("sha-256", body)
    known = {name: content_digest(name, body or b"") for name in ("sha-256", "sha-512")}
    members = [member.strip(" \t") for member in given.split(",")]
    digests = [member for member in members if member.partition("=")[0] in known]
    if not digests or any(member != known[member.partition("=")[0]] for member in digests):
        raise ValueError("Content-Digest must be the digest of the body, with sha-256 or sha-512")
    return given


def content_digest(algorithm: str, body: bytes) -> str:
    """Returns one member of a Content-Digest value (RFC 9530, section 2)."""
    digest = hashlib.new(algorithm.replace("-", ""), body).digest()
    return f"{algorithm}=:{base64.b64encode(digest).decode()}:"
