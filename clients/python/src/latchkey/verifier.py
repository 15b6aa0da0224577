"""The client of the verification port."""

import asyncio
import contextlib
import json
import re
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Self
from urllib.parse import urlsplit

from .answer import Answer, derived_from, unavailable, verdict_from
from .connection import CLOSED, ConnectionPool
from .verdict import DerivedToken, Env, Verdict


@dataclass(frozen=True, slots=True)
class ReceivedRequest:
    """A request as the service received it, for keys whose requests must be signed."""

    method: str
    url: str
    """The URL that the caller requested: absolute, or only path and query, which the Host header completes."""
    headers: Mapping[str, str]
    """`content-digest`, `content-length`, `host`, `signature`, `signature-input` and `transfer-encoding`."""
    body_digest: str | None = None
    """The digest of the bytes that arrived, as a Content-Digest value (RFC 9530) with sha-256 or sha-512. None only if
    no body arrived: a signed request with a body is SIGNATURE_INVALID without its digest."""


class Verifier:
    """A client for the verification port. Use one for the whole process; it can be shared by threads.

    A verification is retried once, on a new connection, if a kept connection is reset before any byte of the answer. A
    call with a `request` is not: if the verifier has already recorded the nonce of its signature, the answer to the
    retry would be SIGNATURE_REPLAYED.

    `url` is the verification port, with the path of a proxy, if any; `token` one of the service's VERIFIER_TOKENS;
    `timeout` the time of a whole verification in seconds. Raises ValueError for invalid options, without the token.
    """

    def __init__(
        self, url: str = "http://127.0.0.1:4001", *, token: str | None = None, timeout: float = 1.0
    ) -> None:
        if not 0 < timeout < 2**31:
            raise ValueError("timeout must be a positive number of seconds")
        if token is not None and not re.fullmatch(r"[\x21-\x7e]+", token):
            raise ValueError("token must be printable ASCII")
        # `urlsplit` would drop line feeds and tabs.
        if not re.fullmatch(r"[\x21-\x7e]+", url):
            raise ValueError("url must be printable ASCII without spaces")
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError("url must be an http or https one")
        if "@" in parts.netloc:
            raise ValueError("url must have no user name and no password")
        authorization = "" if token is None else f"Authorization: Bearer {token}\r\n"
        self._path = f"{parts.path.rstrip('/')}/v1"
        self._fields = (
            f"Host: {parts.netloc}\r\n{authorization}"
            "Content-Type: application/json\r\nAccept: application/json\r\nAccept-Encoding: identity\r\n"
        )
        self._origin = f"{parts.scheme}://{parts.netloc}"
        self._token = token or ""
        self._timeout = timeout
        self._pool = ConnectionPool(parts.scheme, parts.hostname, parts.port)
        # Threads of its own: a slow verifier must not occupy the default threads of the application.
        self._threads = ThreadPoolExecutor(64, "latchkey")

    def verify(
        self,
        key: str,
        *,
        env: Env | None = None,
        source_ip: str | None = None,
        scopes: Sequence[str] = (),
        request: ReceivedRequest | None = None,
    ) -> Verdict:
        """Returns the verdict on a presented key.

        `env` is the required environment; `source_ip` the IP address of the caller, without which keys with an
        allow-list are rejected; `scopes` the scopes that the key must have, all of them. Fails closed: `key` of the
        verdict is set only if a well-formed answer says that it is valid.

        Raises VerifierUnavailable if no such answer arrives in time, and VerifierRejected if the call was rejected.
        """
        call: dict[str, object] = {"key": key, "env": env, "sourceIp": source_ip, "scopes": list(scopes) or None}
        if request is not None:
            digest = {} if request.body_digest is None else {"bodyDigest": request.body_digest}
            received = {"method": request.method, "url": request.url, "headers": dict(request.headers)}
            call["request"] = {**received, **digest}
        answer = self._post("verify", call, is_idempotent=request is None)
        return verdict_from(answer, self._origin, [key, self._token], env, scopes)

    def derive(
        self,
        key: str,
        *,
        scopes: Sequence[str],
        expires_at: datetime,
        env: Env | None = None,
        sources: Sequence[str] | None = None,
        label: str | None = None,
    ) -> DerivedToken:
        """Derives a token from a key, which counts as a verification of the key from this machine's address.

        `scopes` are those of the token, which the key must have; `expires_at` is at most 24 hours from now, with a time
        zone; `sources` are addresses and networks that can use it; `label` is what its uses are counted under.

        Raises VerifierRejected if the key is rejected (401, 403) or the call is wrong (400, 413), VerifierUnavailable
        for everything else, such as a reached rate limit, and ValueError for a time without a zone.
        """
        if expires_at.tzinfo is None:
            raise ValueError("expires_at must have a time zone")
        call = {"key": key, "scopes": list(scopes), "expiresAt": expires_at.isoformat(), "env": env, "label": label}
        answer = self._post("derive", {**call, "sources": sources and list(sources)}, is_idempotent=True)
        return derived_from(answer, self._origin, [key, self._token])

    def _post(self, name: str, call: Mapping[str, object], *, is_idempotent: bool) -> Answer:
        body = json.dumps({member: value for member, value in call.items() if value is not None}).encode()
        head = f"POST {self._path}/{name} HTTP/1.1\r\n{self._fields}Content-Length: {len(body)}\r\n\r\n"
        answer = self._pool.exchange(head.encode() + body, self._timeout, is_idempotent=is_idempotent)
        if isinstance(answer, str):
            raise unavailable(self._origin, answer)
        return answer

    async def verify_async(
        self,
        key: str,
        *,
        env: Env | None = None,
        source_ip: str | None = None,
        scopes: Sequence[str] = (),
        request: ReceivedRequest | None = None,
    ) -> Verdict:
        """Returns the verdict like `verify`, without blocking the event loop.

        Runs `verify` in a thread: a second HTTP client on asyncio's streams would have to fail closed in the same way.
        The time that it waits for a thread counts for the timeout.
        """
        if self._pool.is_closed:
            raise unavailable(self._origin, CLOSED)
        call = partial(self.verify, key, env=env, source_ip=source_ip, scopes=scopes, request=request)
        verdict = asyncio.get_running_loop().run_in_executor(self._threads, call)
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(self._timeout):
                return await verdict
        raise unavailable(self._origin, f"there was no answer in {self._timeout:g} s")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Closes the kept connections. Pending verifications end within their timeout, later ones are unavailable."""
        self._pool.close()
        self._threads.shutdown(wait=False)
