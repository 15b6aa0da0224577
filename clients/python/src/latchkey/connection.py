"""HTTP connections to the verification port: kept open, and with one deadline for the whole exchange."""

import contextlib
import os
import selectors
import socket
import ssl
import threading
import time
from collections import deque
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Final

from .answer import Answer
from .response import InvalidResponse, ResponseReader

IDLE_SECONDS: Final = 4.0
"""Shorter than the 5 idle seconds after which Node's servers close a connection, so that retries are rare."""

MAX_IDLE_CONNECTIONS: Final = 64

CLOSED: Final = "this client was closed"


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
        except InvalidResponse as error:
            return f"the answer is not valid: {error}"
        except (OSError, ValueError, RuntimeError) as error:
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

    def _send(self, sock: socket.socket, request: bytes, deadline: float) -> Answer:
        def receive() -> bytes:
            # The timeout of a socket starts again with each operation.
            sock.settimeout(_remaining(deadline))
            return sock.recv(64 * 1024)

        reader = ResponseReader(receive)
        with contextlib.ExitStack() as stack:
            stack.enter_context(sock)
            try:
                sock.settimeout(_remaining(deadline))
                sock.sendall(request)
                answer, is_reusable = reader.read()
            except (ConnectionError, ssl.SSLEOFError, InvalidResponse):
                if reader.has_received:
                    raise
                raise ConnectionEndedEarly from None
            if is_reusable:
                stack.pop_all()
                self._keep(sock)
        return answer


def _close_late(opened: Future[socket.socket]) -> None:
    if opened.exception() is None:
        opened.result().close()


def _remaining(deadline: float) -> float:
    """Raises TimeoutError after the deadline."""
    remaining = deadline - time.monotonic()
    if remaining <= 0:
        raise TimeoutError
    return remaining
