"""The result of a verification."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal

Env = Literal["live", "test"]


@dataclass(frozen=True, slots=True)
class RateLimit:
    """The state of the rate limit of a key."""

    limit: int
    window_seconds: int
    remaining: int
    """The number of requests that this window still accepts."""
    reset_seconds: int
    """The time until the next window starts."""

    def headers(self) -> list[tuple[str, str]]:
        """Returns the header fields of draft-ietf-httpapi-ratelimit-headers-11."""
        return [
            ("ratelimit-policy", f'"default";q={self.limit};w={self.window_seconds}'),
            ("ratelimit", f'"default";r={self.remaining};t={self.reset_seconds}'),
        ]


@dataclass(frozen=True, slots=True)
class DerivedToken:
    """A token that does a part of what its key may, and ends with it."""

    token: str = field(repr=False)
    expires_at: datetime


@dataclass(frozen=True, slots=True)
class VerifiedKey:
    """A valid key."""

    key_id: str
    team_id: str
    name: str
    env: Env
    prefix: str
    """The first characters of the key, which are safe to log. Imported keys can have the same."""
    expires_at: datetime | None
    secret: Literal["current", "previous"]
    """Whether the current secret of the key was presented, or one from before the last rotation."""
    scopes: tuple[str, ...]
    external_id: str | None
    """The team's own id for the customer or service that the key belongs to."""
    metadata: Mapping[str, Any] | None
    rate_limit: RateLimit | None

    def has_scopes(self, *scopes: str) -> bool:
        return all(scope in self.scopes for scope in scopes)


@dataclass(frozen=True, slots=True)
class Verdict:
    """The verdict on a presented key. A rejected key is an answer, not an error."""

    code: str
    """`VALID`, or the reason for the rejection, such as `REVOKED`: see docs/reference/verification.md."""
    key: VerifiedKey | None
    """The key if it is valid; otherwise None."""
    key_id: str | None
    """The id of the key, also if it was rejected; None if the key is unknown."""
    rate_limit: RateLimit | None

    @property
    def valid(self) -> bool:
        return self.key is not None
