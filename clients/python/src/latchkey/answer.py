"""Reads the answers of `POST /v1/verify`. Fails closed: whatever is not a well-formed verdict is an error."""

import json
import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, NoReturn

from .errors import VerifierRejected, VerifierUnavailable
from .problems import REJECTIONS
from .verdict import Env, RateLimit, Verdict, VerifiedKey

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
        _raise_for_status(answer, body, origin, secrets)
    verdict = _read(body, _rate_limit(answer.headers))
    if verdict is None:
        raise unavailable(origin, "its answer is not a verdict")
    if verdict.key is not None and env is not None and verdict.key.env != env:
        raise unavailable(origin, "its answer is for another environment")
    if verdict.key is not None and not verdict.key.has_scopes(*scopes):
        raise unavailable(origin, "its answer is for other scopes")
    return verdict


def unavailable(
    origin: str, reason: str, retry_after: int | None = None, status: int | None = None
) -> VerifierUnavailable:
    message = f"The verifier at {origin} gave no usable answer: {reason}"
    return VerifierUnavailable(message, retry_after, status)


def _raise_for_status(answer: Answer, body: object, origin: str, secrets: Sequence[str]) -> NoReturn:
    reason = f"{answer.status}{_explanation(body, secrets)}"
    if answer.status in (400, 401, 413):
        raise VerifierRejected(f"The verifier at {origin} rejected the call with {reason}", answer.status)
    retry_after = answer.headers.get("retry-after", "")
    seconds = int(retry_after) if re.fullmatch("[0-9]{1,5}", retry_after) else None
    raise unavailable(origin, f"it answered {reason}", seconds, answer.status)


def _explanation(body: object, secrets: Sequence[str]) -> str:
    """Returns the service's explanation of an error (RFC 9457), in one line for logs."""
    detail = body.get("detail") if isinstance(body, dict) else None
    if not isinstance(detail, str):
        return ""
    for secret in sorted(filter(None, secrets), key=len, reverse=True):
        detail = detail.replace(secret, "[secret]")
    return ": " + "".join(char if char.isprintable() else " " for char in detail)[:500]


def _parse(body: bytes) -> object:
    """Returns None for a text that is not JSON. Python's parser also accepts NaN, which JSON has not."""
    try:
        # Bytes are not passed to the parser, because it would also accept UTF-16 and UTF-32.
        return json.loads(body.decode("utf-8"), parse_constant=_reject_constant)
    except (ValueError, RecursionError):
        return None


def _reject_constant(_: str) -> NoReturn:
    raise ValueError


def _rate_limit(headers: Mapping[str, str]) -> RateLimit | None:
    number = "([0-9]{1,10})"
    policy = re.fullmatch(f'"default";q={number};w={number}', headers.get("ratelimit-policy", ""))
    state = re.fullmatch(f'"default";r={number};t={number}', headers.get("ratelimit", ""))
    if policy is None or state is None:
        return None
    return RateLimit(int(policy[1]), int(policy[2]), int(state[1]), int(state[2]))


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _is_expiry(value: object) -> bool:
    return value is None or (isinstance(value, str) and _time(value) is not None)


def _is_metadata(value: object) -> bool:
    return value is None or (isinstance(value, dict) and _is_json(value, METADATA_DEPTH))


_CHECKS: Final[Mapping[str, Callable[[object], bool]]] = {
    "keyId": _is_text,
    "teamId": _is_text,
    "name": _is_text,
    "env": lambda value: value in ("live", "test"),
    "prefix": _is_text,
    "expiresAt": _is_expiry,
    "secret": lambda value: value in ("current", "previous"),
    "scopes": lambda value: isinstance(value, list) and all(map(_is_text, value)),
    "externalId": lambda value: value is None or _is_text(value),
    "metadata": _is_metadata,
}


def _read(body: object, rate_limit: RateLimit | None) -> Verdict | None:
    """Checks every field. Returns None for an answer that contradicts itself, or with the code of a newer service."""
    if not isinstance(body, dict):
        return None
    code = body.get("code")
    # `is`, because 1 == True in Python.
    if not isinstance(code, str) or body.get("valid") is not (code == "VALID"):
        return None
    # Fields that older versions of the service do not send.
    secret = None if body.get("keyId") is None else "current"
    fields: dict[str, Any] = {"scopes": [], "externalId": None, "metadata": None, "secret": secret, **body}
    if code == "VALID":
        if not all(name in fields and check(fields[name]) for name, check in _CHECKS.items()):
            return None
        return Verdict(code, _key(fields, rate_limit), fields["keyId"], rate_limit)
    if code not in REJECTIONS:
        return None
    for name, check in _CHECKS.items():
        if name not in fields or not ((fields[name] is None and name != "scopes") or check(fields[name])):
            return None
    return Verdict(code, None, fields["keyId"], rate_limit)


def _key(fields: Mapping[str, Any], rate_limit: RateLimit | None) -> VerifiedKey:
    expires_at = fields["expiresAt"]
    return VerifiedKey(
        key_id=fields["keyId"],
        team_id=fields["teamId"],
        name=fields["name"],
        env=fields["env"],
        prefix=fields["prefix"],
        expires_at=None if expires_at is None else _time(expires_at),
        secret=fields["secret"],
        scopes=tuple(fields["scopes"]),
        external_id=fields["externalId"],
        metadata=fields["metadata"],
        rate_limit=rate_limit,
    )


def _time(text: str) -> datetime | None:
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        return None


def _is_json(value: object, depth: int) -> bool:
    """Limits the nesting, which could exceed the stack of an application, and rejects numbers that JSON has not."""
    if isinstance(value, float):
        return math.isfinite(value)
    if not isinstance(value, (dict, list)):
        return True
    members = value.values() if isinstance(value, dict) else value
    return depth > 0 and all(_is_json(member, depth - 1) for member in members)
