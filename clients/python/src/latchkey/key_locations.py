"""The places of a request in which a client presents its key, as in the service's KEY_LOCATIONS. Never the URL."""

import base64
import binascii
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final

from .problems import Rejection

Headers = Sequence[tuple[str, str]]
"""Names in lower case, and values. A name can occur several times."""

# The tables of src/domain/key-header.ts; clients/conformance/key-locations.json tests both.
_RESERVED_NAMES: Final = frozenset(
    """
    connection cookie cookie2 date expect forwarded from host http2-settings keep-alive max-forwards origin pragma
    priority range referer set-cookie signature signature-input te traceparent tracestate trailer transfer-encoding
    upgrade user-agent via warning www-authenticate cache-control x-real-ip x-request-id b3 baggage
    cf-connecting-ip proxy true-client-ip x-amzn-trace-id x-client-ip x-correlation-id x-http-method-override
    """.split()
)
_RESERVED_PREFIXES: Final = re.compile(
    "accept|access-control-|content-|grpc-|if-|proxy-|ratelimit|sec-|x-envoy-|x-forwarded-|x-latchkey-|x-original-"
)
_HEADER_NAME: Final = re.compile("[a-z][a-z0-9_-]{0,63}")
_OWN_KEY: Final = re.compile(
    "[a-z][a-z0-9]{0,15}_(?:live|test)_(?:(?:c_)?[0-9A-Za-z]{8}_[0-9A-Za-z]{49}|d_[0-9A-Za-z_-]{100,}[0-9A-Za-z]{6})"
)
"""The format of the keys of Latchkey, also if a client made the secret."""

_BASIC_PARTS: Final = {
    "basic": "user name or password",
    "basic:username": "user name",
    "basic:password": "password",
}

_EXPECTED: Final = (
    "key_locations must be places, each once: authorization, header:<name> for a header without another meaning,"
    " and basic, basic:username or basic:password"
)
_DIFFERENT: Final = "The request contains two different API keys. Send only one."
_UNCLEAR: Final = (
    "Both the user name and the password can be the API key. Send only the key, and leave the other one empty."
)


@dataclass(frozen=True, slots=True)
class _Location:
    header: str
    reads: tuple[str, ...]
    """What this place reads. No other place may read the same, because it would always find a second key."""
    find: Callable[[str], str]
    """Returns the key in the value of the header, or an empty text. Raises Rejection if it is ambiguous."""
    challenge: str
    instruction: str


class KeyLocations:
    """A list of places such as `header:x-api-key`. Raises ValueError for a list that is not valid."""

    def __init__(self, names: Sequence[str]) -> None:
        self._list = [_location(name.strip(" ")) for name in names]
        reads = [text for location in self._list for text in location.reads]
        if not reads or len(set(reads)) < len(reads):
            raise ValueError(_EXPECTED)
        self.headers: Final = [place.header for place in self._list if place.header != "authorization"]
        """The headers besides `Authorization` that contain keys."""
        self.challenge: Final = ", ".join(location.challenge for location in self._list)
        """The value of WWW-Authenticate for a request without a valid key (RFC 9110, section 11.6.1)."""
        self.instruction: Final = " or ".join(location.instruction for location in self._list)

    def find(self, headers: Mapping[str, str]) -> str | None:
        """Returns the only key in headers, whose names are in lower case, or None. Raises Rejection for several."""
        keys = {location.find(headers.get(location.header, "")) for location in self._list} - {""}
        if len(keys) > 1:
            raise Rejection("UNAUTHENTICATED", _DIFFERENT)
        return next(iter(keys), None)

    def reject_repeated(self, headers: Headers) -> None:
        """Raises Rejection if a gateway in front may have read another key or host than this program.

        That is a Host (RFC 9112, section 3.2) or a header with the key that occurs twice, or in a form that only some
        servers read as the same name.
        """
        names = [name for name, _ in headers]
        if names.count("host") > 1 or names.count("authorization") > 1:
            raise Rejection("BAD_USER_INPUT", "Host and Authorization must be given once.")
        for key_name in self.headers:
            if names.count(key_name) > 1:
                raise Rejection("BAD_USER_INPUT", f"{key_name} must be given once.")
            if any(name != key_name and _hyphenated(name) == _hyphenated(key_name) for name in names):
                raise Rejection("BAD_USER_INPUT", f"{key_name} must be written with these hyphens and underscores.")

    def scope_challenge(self, scopes: Sequence[str]) -> str:
        """Returns the challenge that names the required scopes (RFC 6750, section 3.1)."""
        first = self._list[0].challenge
        comma = "," if " " in first else ""
        return f'{first}{comma} error="insufficient_scope", scope="{" ".join(scopes)}"'


def _location(name: str) -> _Location:
    if name == "authorization":
        return _Location(name, ("Bearer",), _bearer, "Bearer", "Authorization: Bearer <key>")
    if name in _BASIC_PARTS:
        instruction = f"Authorization: Basic with the key as {_BASIC_PARTS[name]}"
        return _Location("authorization", ("Basic",), partial(_basic, name), 'Basic realm="API key"', instruction)
    header = name.removeprefix("header:").lower()
    hyphenated = _hyphenated(header)
    is_reserved = hyphenated in _RESERVED_NAMES or _RESERVED_PREFIXES.match(hyphenated)
    if not name.startswith("header:") or not _HEADER_NAME.fullmatch(header) or is_reserved:
        raise ValueError(_EXPECTED)
    reads = ("Bearer", "Basic") if header == "authorization" else (hyphenated,)
    return _Location(header, reads, str, f'ApiKey header="{header}"', f"{header}: <key>")


def _hyphenated(name: str) -> str:
    """CGI and WSGI read `X_API_Key` and `X-API-Key` as the same variable, so both names are one header."""
    return name.replace("_", "-")


def _bearer(value: str) -> str:
    match = re.fullmatch(r"bearer +(\S+)", value, re.IGNORECASE)
    return match[1] if match else ""


def _basic(name: str, value: str) -> str:
    """Reads HTTP Basic (RFC 7617, section 2). Each byte becomes one character, because keys are ASCII."""
    match = re.fullmatch(r"basic +([A-Za-z0-9+/]+={0,2})", value, re.IGNORECASE)
    try:
        username, colon, password = base64.b64decode(match[1] if match else "").decode("latin-1").partition(":")
    except binascii.Error:
        return ""
    if not colon:
        return ""
    if name != "basic":
        return username if name == "basic:username" else password
    texts = {username, password} - {""}
    if len(texts) == 2:
        # Existing clients put a fixed text into the other part, so the format of Latchkey's own keys decides.
        keys = set(filter(_OWN_KEY.fullmatch, texts))
        if len(keys) != 1:
            raise Rejection("UNAUTHENTICATED", _DIFFERENT if keys else _UNCLEAR)
        texts = keys
    return next(iter(texts), "")
