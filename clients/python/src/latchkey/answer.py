"""Reads the answers of `POST /v1/verify`. Fails closed: whatever is not a well-formed verdict is an error."""

import json
import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from .errors import VerifierError, VerifierRejected, VerifierUnavailable
from .problems import REJECTIONS
from .verdict import DerivedToken, Env, RateLimit, Verdict, VerifiedKey

METADATA_DEPTH: Final = 8


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer of the verification port. The names of `headers` are in lower case."""

    status: int
    headers: Mapping[str, str]
    body: bytes


def verdict_from(
    answer: Answer, origin: str, secrets: Sequence[str], env: Env | None, scopes: Sequence[str]
) -> Verdict:
    """Reads the verdict from an answer.

    Raises VerifierRejected for 400, 401 and 413, and VerifierUnavailable for whatever else is not a verdict.
    """
    body = _parse(answer.body)
    if answer.status != 200:
        raise _error(answer, body, origin, secrets)
    verdict = _read(body, _rate_limit(answer.headers))
    if verdict is None:
        raise unavailable(origin, "its answer is not a verdict")
    if verdict.key is not None and env is not None and verdict.key.env != env:
        raise unavailable(origin, "its answer is for another environment")
    if verdict.key is not None and not verdict.key.has_scopes(*scopes):
        raise unavailable(origin, "its answer is for other scopes")
    return verdict


def derived_from(answer: Answer, origin: str, secrets: Sequence[str]) -> DerivedToken:
    """Reads a derived token. Raises VerifierRejected for 400, 401, 403 and 413, and VerifierUnavailable otherwise."""
    body = _parse(answer.body)
    if answer.status != 201:
        raise _error(answer, body, origin, secrets, rejected=(400, 401, 403, 413))
    try:
        if not isinstance(body, dict):
            raise TypeError
        return DerivedToken(_text(body["token"]), datetime.fromisoformat(body["expiresAt"]))
    except (KeyError, TypeError, ValueError):
        raise unavailable(origin, "its answer is not a token") from None


def unavailable(
    origin: str, reason: str, retry_after: int | None = None, status: int | None = None
) -> VerifierUnavailable:
    message = f"The verifier at {origin} gave no usable answer: {reason}"
    return VerifierUnavailable(message, retry_after, status)


def _error(
    answer: Answer, body: object, origin: str, secrets: Sequence[str], rejected: Sequence[int] = (400, 401, 413)
) -> VerifierError:
    reason = f"{answer.status}{_explanation(body, secrets)}"
    if answer.status in rejected:
        return VerifierRejected(f"The verifier at {origin} rejected the call with {reason}", answer.status)
    retry_after = answer.headers.get("retry-after", "")
    seconds = int(retry_after) if re.fullmatch("[0-9]{1,5}", retry_after) else None
    return unavailable(origin, f"it answered {reason}", seconds, answer.status)


def _explanation(body: object, secrets: Sequence[str]) -> str:
    """Returns the service's explanation of an error (RFC 9457), in one line for logs."""
    detail = body.get("detail") if isinstance(body, dict) else None
    if not isinstance(detail, str):
        return ""
    for secret in sorted(filter(None, secrets), key=len, reverse=True):
        detail = detail.replace(secret, "[secret]")
    return ": " + "".join(char if char.isprintable() else " " for char in detail)[:500]


def _parse(body: bytes) -> object:
    """Returns None for a text that is not JSON."""
    try:
        # Bytes are not passed to the parser, because it would also accept UTF-16 and UTF-32.
        return json.loads(body.decode(), parse_float=_finite, parse_constant=_finite)
    except (ValueError, RecursionError):
        return None


def _finite(text: str) -> float:
    """Rejects NaN and Infinity, which Python's parser accepts, and numbers that become infinite."""
    if not math.isfinite(number := float(text)):
        raise ValueError
    return number


def _rate_limit(headers: Mapping[str, str]) -> RateLimit | None:
    number = "([0-9]{1,10})"
    policy = re.fullmatch(f'"default";q={number};w={number}', headers.get("ratelimit-policy", ""))
    state = re.fullmatch(f'"default";r={number};t={number}', headers.get("ratelimit", ""))
    if policy is None or state is None:
        return None
    return RateLimit(int(policy[1]), int(policy[2]), int(state[1]), int(state[2]))


_Parser = Callable[[Any], Any]
"""Returns the value of a member. Raises ValueError or TypeError if it is not valid."""


def _checked(is_valid: Callable[[Any], bool]) -> _Parser:
    def parse(value: Any) -> Any:
        if not is_valid(value):
            raise ValueError
        return value

    return parse


def _nullable(parse: _Parser) -> _Parser:
    return lambda value: None if value is None else parse(value)


def _is_shallow(value: object, depth: int) -> bool:
    """Limits the nesting, which could exceed the stack of an application."""
    if not isinstance(value, (dict, list)):
        return True
    members = value.values() if isinstance(value, dict) else value
    return depth > 0 and all(_is_shallow(member, depth - 1) for member in members)


_text: Final = _checked(lambda value: isinstance(value, str))
_list: Final = _checked(lambda value: isinstance(value, list))
_metadata: Final = _checked(lambda value: isinstance(value, dict) and _is_shallow(value, METADATA_DEPTH))

_MEMBERS: Final[Mapping[str, tuple[str, _Parser]]] = {
    "keyId": ("key_id", _text),
    "teamId": ("team_id", _text),
    "name": ("name", _text),
    "env": ("env", _checked(lambda value: value in ("live", "test"))),
    "prefix": ("prefix", _text),
    "expiresAt": ("expires_at", _nullable(datetime.fromisoformat)),
    "secret": ("secret", _checked(lambda value: value in ("current", "previous"))),
    "scopes": ("scopes", lambda value: tuple(map(_text, _list(value)))),
    "externalId": ("external_id", _nullable(_text)),
    "metadata": ("metadata", _nullable(_metadata)),
}
"""The members of an answer, with the attributes of VerifiedKey."""

_LATER_MEMBERS: Final[Mapping[str, Any]] = {"secret": "current", "scopes": [], "externalId": None, "metadata": None}
"""What an older service does not send, and means."""


def _read(body: object, rate_limit: RateLimit | None) -> Verdict | None:
    """Returns None for an answer that contradicts itself, or with the code of a newer service."""
    if not isinstance(body, dict):
        return None
    members = {**_LATER_MEMBERS, **body}
    code = members.get("code")
    is_valid = code == "VALID"
    # `is`, because 1 == True in Python.
    if not isinstance(code, str) or code not in {"VALID", *REJECTIONS} or members.get("valid") is not is_valid:
        return None
    values: dict[str, Any] = {}
    try:
        for name, (attribute, parse) in _MEMBERS.items():
            # A rejected key may be unknown.
            is_unknown = not is_valid and name != "scopes" and members[name] is None
            values[attribute] = None if is_unknown else parse(members[name])
    except (KeyError, TypeError, ValueError):
        return None
    key = VerifiedKey(**values, rate_limit=rate_limit) if is_valid else None
    return Verdict(code, key, values["key_id"], rate_limit)
