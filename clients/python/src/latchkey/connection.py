"""HTTP connections to the verification port: kept open, and with one deadline for the whole exchange."""

import contextlib
import http.client
import io
import os
import selectors
import socket
import ssl
import threading
import time
from collections import deque
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any, Final

from .answer import Answer

MAX_ANSWER_BYTES: Final = 16 * 1024
"""A verdict has about 400 bytes, and at most 12,000 with many scopes and long metadata."""

IDLE_SECONDS: Final = 4.0
"""Shorter than the 5 idle seconds after which Node's servers close a connection, so that retries are rare."""

MAX_IDLE_CONNECTIONS: Final = 64

CLOSED: Final = "this client was closed"


class _Reader(io.RawIOBase):
    """Reads from a socket until a deadline. The timeout of a plain socket starts again with each operation."""

    def __init__(self, sock: socket.socket, deadline: float) -> None:
        self._sock = sock
        self._deadline = deadline
        self.has_received = False

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        self._sock.settimeout(_remaining(self._deadline))
        length = self._sock.recv_into(buffer)
        self.has_received = self.has_received or length > 0
        return length

    def makefile(self, _: str) -> io.BufferedReader:
        """Makes a socket of it for HTTPResponse, which calls nothing else."""
        return io.BufferedReader(self)


@dataclass(frozen=True, slots=True)
class _IdleConnection:
    sock: socket.socket
    since: float = field(default_factory=time.monotonic)
    process: int = field(default_factory=os.getpid)

    def is_usable(self) -> bool:
        """Returns whether the connection is open. What arrives on it is its end, or an answer to no request."""
        # After a fork, several processes would read each other's answers on it.
        if self.process != os.getpid() or time.monotonic() - self.since > IDLE_SECONDS:
            return False
        with selectors.DefaultSelector() as selector:
            selector.register(self.sock, selectors.EVENT_READ)
            return not selector.select(0)


class ConnectionEndedEarly(ConnectionError):
    """The connection ended before any byte of the answer."""


class ConnectionPool:
    """The kept connections to one server."""

    def __init__(self, scheme: str, host: str, port: int | None) -> None:
        self._address = (host, port or (443 if scheme == "https" else 80))
        self._tls = ssl.create_default_context() if scheme == "https" else None
        # A deque needs no lock: its methods are atomic.
        self._idle: deque[_IdleConnection] = deque()
        self.is_closed = False

    def exchange(self, request: bytes, timeout: float, is_idempotent: bool) -> Answer | str:
        """Returns the answer, or the reason why there is none. Never raises: the errors contain received bytes.

        An idempotent request is sent once more if a kept connection ends before any byte of the answer.
        """
        if self.is_closed:
            return CLOSED
        deadline = time.monotonic() + timeout
        try:
            if kept := self._take_idle():
                try:
                    return self._send(kept, request, deadline)
                except ConnectionEndedEarly:
                    if not is_idempotent:
                        raise
            return self._send(self._open(deadline), request, deadline)
        except TimeoutError:
            return f"there was no answer in {timeout:g} s"
        except (OSError, http.client.HTTPException, ValueError, RuntimeError) as error:
            # RuntimeError: the process can start no thread.
            return f"the connection failed ({type(error).__name__})"

    def close(self) -> None:
        self.is_closed = True
        while kept := self._take_idle():
            kept.close()

    def _take_idle(self) -> socket.socket | None:
        while self._idle:
            with contextlib.suppress(IndexError):  # Another thread took the last one.
                idle = self._idle.pop()
                if idle.is_usable():
                    return idle.sock
                idle.sock.close()
        return None

    def _keep(self, sock: socket.socket) -> None:
        if len(self._idle) >= MAX_IDLE_CONNECTIONS:
            sock.close()
            return
        self._idle.append(_IdleConnection(sock))
        if self.is_closed:
            self.close()

    def _open(self, deadline: float) -> socket.socket:
        """Connects in a thread that may be late, because the resolution of a name has no timeout."""
        opened: Future[socket.socket] = Future()

        def connect() -> None:
            try:
                sock = socket.create_connection(self._address, _remaining(deadline))
                sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                if self._tls is not None:
                    sock = self._tls.wrap_socket(sock, server_hostname=self._address[0])
                opened.set_result(sock)
            except Exception as error:
                opened.set_exception(error)

        threading.Thread(target=connect, daemon=True).start()
        try:
            return opened.result(_remaining(deadline))
        except TimeoutError:
            opened.add_done_callback(_close_late)
            raise

    def _send(self, sock: socket.socket, request: bytes, deadline: float) -> Answer | str:
        reader = _Reader(sock, deadline)
        with contextlib.ExitStack() as stack:
            stack.enter_context(sock)
            try:
                sock.settimeout(_remaining(deadline))
                sock.sendall(request)
                response = http.client.HTTPResponse(reader, method="POST")  # type: ignore[arg-type]
                response.begin()
                content = response.read(MAX_ANSWER_BYTES + 1)
            except (ConnectionError, ssl.SSLEOFError):
                if reader.has_received:
                    raise
                raise ConnectionEndedEarly from None
            if len(content) > MAX_ANSWER_BYTES:
                return "the answer was too long"
            # With a size, `read` returns a body that was cut off without an error.
            if response.length:
                return "the answer was cut off"
            # After an interim answer (RFC 9110, section 15.2), the final one would count for the next call.
            if not response.will_close and response.status >= 200:
                stack.pop_all()
                self._keep(sock)
        headers = {name.lower(): response.getheader(name, "") for name in response.headers}
        return Answer(response.status, headers, content)


def _close_late(opened: Future[socket.socket]) -> None:
    if opened.exception() is None:
        opened.result().close()


def _remaining(deadline: float) -> float:
    """Raises TimeoutError after the deadline."""
    remaining = deadline - time.monotonic()
    if remaining <= 0:
        raise TimeoutError
    return remaining
