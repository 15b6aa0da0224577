"""A server in place of the verification port, and the conformance vectors that it answers with."""

import contextlib
import json
import socket
import struct
import threading
from pathlib import Path
from typing import Any, Self

VECTORS = Path(__file__).parents[2] / "conformance"


def vectors(name: str) -> Any:
    return json.loads((VECTORS / f"{name}.json").read_text(encoding="utf-8"))


class StandIn:
    """Answers every call on the loopback interface as `answer` says, in the format of verdicts.json."""

    def __init__(self) -> None:
        self.answer: dict[str, Any] = {"verdict": {}}
        self.calls: list[Any] = []
        self.heads: list[str] = []
        self.connections = 0
        self.ended = threading.Semaphore(0)
        """Counts the connections that have ended."""
        self.closes_after_answer = False
        """Closes each connection behind an answer that announces no close."""
        self._verdict = vectors("verdicts")["verdict"]
        self._server = socket.create_server(("127.0.0.1", 0))
        self._open: list[socket.socket] = []
        threading.Thread(target=self._accept, daemon=True).start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.getsockname()[1]}"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for open_socket in (self._server, *self._open):
            # `close` would not end a `recv` of another thread.
            with contextlib.suppress(OSError):
                open_socket.shutdown(socket.SHUT_RDWR)
            open_socket.close()

    def _accept(self) -> None:
        while True:
            try:
                connection, _ = self._server.accept()
            except OSError:
                return
            self.connections += 1
            self._open.append(connection)
            threading.Thread(target=self._serve, args=[connection], daemon=True).start()

    def _serve(self, connection: socket.socket) -> None:
        try:
            with connection, connection.makefile("rb") as stream:
                while head := self._read_head(stream):
                    length = int(head.lower().partition("content-length: ")[2].partition("\r\n")[0])
                    self.heads.append(head)
                    self.calls.append(json.loads(stream.read(length)))
                    if not self._send(connection) or self.closes_after_answer:
                        return
        except OSError:
            pass
        finally:
            self.ended.release()

    @staticmethod
    def _read_head(stream: Any) -> str:
        lines: list[bytes] = []
        while line := stream.readline():
            lines.append(line)
            if line == b"\r\n":
                return b"".join(lines).decode("latin-1")
        return ""

    def _send(self, connection: socket.socket) -> bool:
        """Returns whether the connection can be used again."""
        answer = self.answer
        fault = answer.get("fault")
        if "raw" in answer:
            connection.sendall(answer["raw"])
            return bool(answer.get("keepsOpen", False))
        if fault == "silent":
            connection.recv(1)
            return False
        if fault == "resets":
            connection.sendall(b"HTTP/1.1 200 OK\r\n")
            # Closing with this option resets the connection.
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            return False
        if fault is not None:
            connection.sendall(b"\x16\x03\x01 no HTTP\r\n\r\n" if fault == "garbage" else b"")
            return False
        body = self._body_of(answer)
        status = answer.get("status", 200)
        fields = {"Content-Type": "application/json", **answer.get("headers", {})}
        if status != 204:
            fields["Content-Length"] = str(len(body) + (1 if "cutOff" in answer else 0))
        head = "".join(f"{name}: {value}\r\n" for name, value in fields.items())
        connection.sendall(f"HTTP/1.1 {status} Answer\r\n{head}\r\n".encode() + body)
        return "cutOff" not in answer

    def _body_of(self, answer: dict[str, Any]) -> bytes:
        if "text" in answer:
            repeat = answer.get("repeat", {"text": "", "times": 0})
            text = answer["text"] + repeat["text"] * repeat["times"]
        else:
            without = answer.get("without", [])
            members = {**self._verdict, **answer["verdict"]}
            text = json.dumps({name: value for name, value in members.items() if name not in without})
        body: bytes = text.encode()
        return body.ljust(answer.get("padToBytes", 0))


def dead_url() -> str:
    """Returns an address at which no server listens."""
    with StandIn() as stand_in:
        return stand_in.url
