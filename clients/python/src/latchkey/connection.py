"""HTTP connections to the verification port: kept open, and with one deadline for the whole exchange."""

import http.client
import io
import os
import queue
import selectors
import socket
import ssl
import threading
import time
from collections.abc import Mapping
from typing import Any, Final

from .answer import Answer

MAX_ANSWER_BYTES: Final = 16 * 1024
"""A verdict has about 400 bytes, and at most 12,000 with many scopes and long metadata."""

IDLE_SECONDS: Final = 4.0
"""Shorter than the 5 idle seconds after which Node's servers close a connection, so that retries are rare."""

MAX_IDLE_CONNECTIONS: Final = 64

CLOSED: Final = "this client was closed"


class _Socket:
    """A socket whose operations share one deadline. The timeout of a plain socket starts again with each operation."""

    def __init__(self, sock: socket.socket) -> None:
        self.sock = sock
        self.deadline = 0.0
        self.received_bytes = 0

    def limit_time(self) -> None:
        self.sock.settimeout(_remaining(self.deadline))

    def sendall(self, data: bytes) -> None:
        self.limit_time()
        self.sock.sendall(data)

    def makefile(self, _: str) -> io.BufferedReader:
        return io.BufferedReader(_Reader(self))

    def close(self) -> None:
        """Does nothing: http.client closes the socket before it reads an answer that ends with the connection."""


class _Reader(io.RawIOBase):
    def __init__(self, sock: _Socket) -> None:
        self._sock = sock

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        self._sock.limit_time()
        length = self._sock.sock.recv_into(buffer)
        self._sock.received_bytes += length
        return length


class _Connection(http.client.HTTPConnection):
    """A connection whose socket was opened before."""

    def __init__(self, host: str, port: int, sock: _Socket) -> None:
        super().__init__(host, port)
        self.sock = sock
        # Without it, http.client would open a connection without deadline and TLS after it closed this one.
        self.auto_open = 0
        self.channel = sock
        self.used_at = time.monotonic()
        self.process = os.getpid()
        self.is_reused = False

    def drop(self) -> None:
        self.close()
        self.channel.sock.close()

    def is_fresh(self) -> bool:
        """Returns whether an idle connection is open. What arrives on it is its end, or an answer to no request."""
        # After a fork, several processes would read each other's answers on it.
        if self.process != os.getpid() or time.monotonic() - self.used_at > IDLE_SECONDS:
            return False
        with selectors.DefaultSelector() as selector:
            selector.register(self.channel.sock, selectors.EVENT_READ)
            return not selector.select(0)


class ConnectionPool:
    """The kept connections to one server."""

    def __init__(self, scheme: str, host: str, port: int | None) -> None:
        self._host = host
        self._port = port or (443 if scheme == "https" else 80)
        self._tls = ssl.create_default_context() if scheme == "https" else None
        self._idle: list[_Connection] = []
        self._lock = threading.Lock()
        self.is_closed = False

    def post(
        self, path: str, headers: Mapping[str, str], body: bytes, timeout: float, is_idempotent: bool
    ) -> Answer | str:
        """Returns the answer, or the reason why there is none. Never raises: the errors contain received bytes."""
        if self.is_closed:
            return CLOSED
        deadline = time.monotonic() + timeout
        connection: _Connection | None = None
        for attempt in ("first", "last"):
            try:
                connection = self._take_idle() if attempt == "first" else None
                connection = connection or self._open(deadline)
                connection.channel.deadline = deadline
                answer = self._exchange(connection, path, headers, body)
            except TimeoutError:
                reason, is_stale = f"there was no answer in {timeout:g} s", False
            except (OSError, http.client.HTTPException, ValueError) as error:
                reason = f"the connection failed ({type(error).__name__})"
                is_stale = isinstance(error, (ConnectionError, ssl.SSLEOFError)) and _is_stale(connection)
            else:
                if isinstance(answer, Answer):
                    self._keep(connection)
                else:
                    connection.drop()
                return answer
            if connection is not None:
                connection.drop()
            if not is_stale or not is_idempotent:
                return reason
        return reason

    def close(self) -> None:
        with self._lock:
            self.is_closed = True
            idle, self._idle = self._idle, []
        for connection in idle:
            connection.drop()

    def _take_idle(self) -> _Connection | None:
        while True:
            with self._lock:
                if not self._idle:
                    return None
                connection = self._idle.pop()
            if connection.is_fresh():
                connection.is_reused = True
                connection.channel.received_bytes = 0
                return connection
            connection.drop()

    def _keep(self, connection: _Connection) -> None:
        connection.used_at = time.monotonic()
        with self._lock:
            if connection.sock is not None and not self.is_closed and len(self._idle) < MAX_IDLE_CONNECTIONS:
                self._idle.append(connection)
                return
        connection.drop()

    def _open(self, deadline: float) -> _Connection:
        error: OSError = ConnectionError("the host has no address")
        for family, kind, protocol, _, address in _resolve(self._host, self._port, deadline):
            sock = socket.socket(family, kind, protocol)
            try:
                sock.settimeout(_remaining(deadline))
                sock.connect(address)
                sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                if self._tls is not None:
                    sock.settimeout(_remaining(deadline))
                    sock = self._tls.wrap_socket(sock, server_hostname=self._host)
            except OSError as failure:
                sock.close()
                error = failure
                continue
            return _Connection(self._host, self._port, _Socket(sock))
        raise error

    def _exchange(
        self, connection: _Connection, path: str, headers: Mapping[str, str], body: bytes
    ) -> Answer | str:
        connection.request("POST", path, body, dict(headers))
        response = connection.getresponse()
        content = response.read(MAX_ANSWER_BYTES + 1)
        if len(content) > MAX_ANSWER_BYTES:
            return "the answer was too long"
        # With a size, `read` returns a body that was cut off without an error.
        if response.length:
            return "the answer was cut off"
        fields = {name.lower(): ", ".join(response.headers.get_all(name, [])) for name in response.headers}
        if not response.isclosed() or response.status < 200:
            # The answer has no end but that of the connection, or http.client took an interim answer (RFC 9110, section
            # 15.2) for the final one, which would then count as the answer to the next call.
            connection.close()
        return Answer(response.status, fields, content)


def _is_stale(connection: _Connection | None) -> bool:
    """Returns whether a kept connection was closed before any byte of the answer."""
    return connection is not None and connection.is_reused and connection.channel.received_bytes == 0


def _remaining(deadline: float) -> float:
    """Raises TimeoutError after the deadline."""
    remaining = deadline - time.monotonic()
    if remaining <= 0:
        raise TimeoutError
    return remaining


def _resolve(host: str, port: int, deadline: float) -> list[Any]:
    """Resolves a host name. `getaddrinfo` has no timeout, so that names are resolved in a thread that may be late."""
    try:
        return socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_NUMERICHOST)
    except (socket.gaierror, UnicodeError):
        pass
    results: queue.SimpleQueue[list[Any] | OSError] = queue.SimpleQueue()

    def resolve() -> None:
        try:
            results.put(socket.getaddrinfo(host, port, type=socket.SOCK_STREAM))
        except (OSError, UnicodeError):
            results.put(ConnectionError("the host has no address"))

    threading.Thread(target=resolve, daemon=True).start()
    try:
        result = results.get(timeout=_remaining(deadline))
    except queue.Empty:
        raise TimeoutError from None
    if isinstance(result, OSError):
        raise result
    return result
