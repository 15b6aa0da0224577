"""The answers to rejected requests: problem documents (RFC 9457), the same as those of the other clients."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from .verdict import RateLimit

REJECTIONS: Final[Mapping[str, tuple[int, str, str]]] = {
    "MALFORMED": (401, "The API key is malformed", "The text is not an API key: it may be cut off or mistyped."),
    "NOT_FOUND": (401, "The API key is not known", "There is no such API key."),
    "REVOKED": (401, "The API key is revoked", "The API key was revoked."),
    "FROZEN": (401, "The API key is frozen", "The API key is not accepted for now."),
    "ROTATED": (401, "The API key was rotated", "The API key was replaced by a new one."),
    "DISABLED": (401, "The API key is disabled", "The API key is disabled."),
    "EXPIRED": (401, "The API key has expired", "The API key has expired."),
    "WRONG_ENVIRONMENT": (403, "The API key is for another environment", "Use a key of the environment called."),
    "SOURCE_NOT_ALLOWED": (403, "The API key may not be used from here", "The source is not among the allowed ones."),
    "INSUFFICIENT_SCOPE": (403, "The API key lacks a scope", "The API key does not have the scopes that this needs."),
    "SIGNATURE_REQUIRED": (401, "A signature is needed", "Requests with this API key must be signed."),
    "SIGNATURE_INVALID": (
        401,
        "The signature is not valid",
        "The signature does not belong to this request and API key.",
    ),
    "SIGNATURE_EXPIRED": (401, "The signature has expired", "Sign the request again; check the clock."),
    "SIGNATURE_REPLAYED": (401, "The signature was used before", "Sign every request anew, retries too."),
    "RATE_LIMITED": (429, "Too many requests", "The API key has reached its rate limit."),
}
"""The codes of rejected keys, with the status, the title and the detail of their problem documents."""

PROBLEMS: Final[Mapping[str, tuple[int, str, str]]] = {
    **REJECTIONS,
    "BAD_USER_INPUT": (400, "The request is not valid", "Host and Authorization must be given once."),
    "UNAUTHENTICATED": (401, "An API key is needed", "Send it as Authorization: Bearer <key>."),
    "PAYLOAD_TOO_LARGE": (413, "The body is too large", "The body of a signed request is limited."),
    "UNAVAILABLE": (503, "API keys cannot be verified right now", "Try again a little later."),
}

QUOTA_EXCEEDED: Final = "https://iana.org/assignments/http-problem-types#quota-exceeded"
"""The registered type for a reached rate limit (draft-ietf-httpapi-ratelimit-headers-11, section 5.1)."""


class Rejection(Exception):
    """A request is rejected with the problem document of `code`. `detail` replaces the text of the table."""

    def __init__(
        self, code: str, detail: str | None = None, *, retry_after: int = 1, rate_limit: RateLimit | None = None
    ) -> None:
        super().__init__(code)
        self.code = code
        self.detail = detail
        self.retry_after = retry_after
        self.rate_limit = rate_limit


@dataclass(frozen=True, slots=True)
class Response:
    """The answer to a rejected request."""

    status: int
    headers: list[tuple[str, str]]
    body: bytes


def response_to(rejection: Rejection, challenge: str, errors_url: str | None) -> Response:
    """Returns the answer. Discloses nothing about the key except the code and the reached rate limit."""
    code = rejection.code
    status, title, detail = PROBLEMS[code]
    problem: dict[str, object] = {
        "type": f"urn:latchkey:problem:{code}" if errors_url is None else f"{errors_url}#{code}",
        "title": title,
        "status": status,
        "detail": rejection.detail or detail,
        "code": code,
    }
    headers = [("content-type", "application/problem+json"), ("cache-control", "no-store")]
    if status == 401 or code == "INSUFFICIENT_SCOPE":
        headers.append(("www-authenticate", challenge))
    if status in (429, 503):
        headers.append(("retry-after", str(rejection.retry_after)))
    if code == "RATE_LIMITED":
        problem |= {"type": QUOTA_EXCEEDED, "violated-policies": ["default"]}
        headers += [] if rejection.rate_limit is None else rejection.rate_limit.headers()
    body = json.dumps(problem).encode()
    return Response(status, [*headers, ("content-length", str(len(body)))], body)
