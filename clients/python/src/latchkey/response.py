"""Reads one response of HTTP/1.1 (RFC 9112). What two readers could understand differently is an error.

`http.client` is not used for responses: it takes the first of several lengths, reads `+5`, `-1` and `5_0` as lengths,
skips lines without a colon, accepts a chunked body without its end, and stops at an interim response.
"""

import re
from collections.abc import Callable, Mapping
from typing import Final

from .answer import Answer

MAX_ANSWER_BYTES: Final = 16 * 1024
"""A verdict has about 400 bytes, and at most 12,000 with many scopes and long metadata."""

MAX_LINE_BYTES: Final = 128 * 1024
"""Of all lines of a response: the heads of interim responses and of the final one, sizes of chunks, and trailers."""

MAX_FIELD_LINES: Final = 100

_STATUS_LINE: Final = re.compile(rb"HTTP/1\.([01]) ([1-5][0-9]{2})(?: [\t\x20-\x7e\x80-\xff]*)?")
_FIELD_LINE: Final = re.compile(rb"([!#$%&'*+.^_`|~0-9A-Za-z-]+):([\t\x20-\x7e\x80-\xff]*)")
_CHUNK_SIZE: Final = re.compile(rb"([0-9A-Fa-f]{1,8})[ \t]*(?:;[\t\x20-\x7e\x80-\xff]*)?")


class InvalidResponse(ValueError):
    """The response is not valid. The message contains nothing of it."""


class ResponseReader:
    """Reads responses from a connection. `receive` returns more bytes, none at its end."""

    def __init__(self, receive: Callable[[], bytes]) -> None:
        self._receive = receive
        self._buffer = b""
        self._line_bytes = 0
        self.has_received = False

    def read(self) -> tuple[Answer, bool]:
        """Returns the final response, and whether the connection can be used for another one."""
        is_1_1, status = self._status_line()
        fields = self._fields()
        # Any number of interim responses can precede it (RFC 9110, section 15.2). 101 would end HTTP on this connection.
        while 100 <= status < 200 and status != 101:
            is_1_1, status = self._status_line()
            fields = self._fields()
        if status == 101:
            raise InvalidResponse("it switches to another protocol")
        is_delimited, body = self._body(is_1_1, status, fields)
        closes = "close" in re.split(r"[ \t]*,[ \t]*", fields.get("connection", "").lower())
        # Bytes behind the response would count for the next call.
        return Answer(status, fields, body), is_1_1 and is_delimited and not closes and not self._buffer

    def _status_line(self) -> tuple[bool, int]:
        match = _STATUS_LINE.fullmatch(self._line())
        if match is None:
            raise InvalidResponse("its status line is not one of HTTP/1.1")
        return match[1] == b"1", int(match[2])

    def _fields(self) -> dict[str, str]:
        """Returns the fields with names in lower case. The lines of one field become a list (RFC 9110, section 5.3)."""
        fields: dict[str, str] = {}
        count = 0
        while line := self._line():
            if (count := count + 1) > MAX_FIELD_LINES:
                raise InvalidResponse("it has too many header lines")
            match = _FIELD_LINE.fullmatch(line)
            if match is None:
                raise InvalidResponse("a header line is malformed")
            name, value = match[1].decode().lower(), match[2].strip(b" \t").decode("latin-1")
            fields[name] = f"{fields[name]}, {value}" if name in fields else value
        return fields

    def _body(self, is_1_1: bool, status: int, fields: Mapping[str, str]) -> tuple[bool, bytes]:
        """Returns whether the end of the body is not that of the connection, and the body (RFC 9112, section 6.3)."""
        coding, length = fields.get("transfer-encoding"), fields.get("content-length")
        if coding is not None:
            if coding.lower() != "chunked" or length is not None or not is_1_1:
                raise InvalidResponse("the length of its body is unclear (Transfer-Encoding)")
            return True, self._chunks()
        if length is not None and not re.fullmatch("[0-9]{1,15}", length):
            raise InvalidResponse("the length of its body is unclear (Content-Length)")
        if status in (204, 304):
            return True, b""
        if length is not None:
            return True, self._bytes(int(length))
        while self._fill():
            _check_size(len(self._buffer))
        body, self._buffer = self._buffer, b""
        _check_size(len(body))
        return False, body

    def _chunks(self) -> bytes:
        body = b""
        while True:
            match = _CHUNK_SIZE.fullmatch(self._line())
            if match is None:
                raise InvalidResponse("the size of a chunk is malformed")
            if (size := int(match[1], 16)) == 0:
                self._fields()
                return body
            _check_size(len(body) + size)
            body += self._bytes(size)
            if self._bytes(2) != b"\r\n":
                raise InvalidResponse("a chunk has another length than its size")

    def _line(self) -> bytes:
        """Returns the next line without its end, which must be CRLF."""
        while (end := self._buffer.find(b"\n")) < 0:
            if self._line_bytes + len(self._buffer) > MAX_LINE_BYTES:
                raise InvalidResponse("its header is too long")
            self._need_more()
        self._line_bytes += end + 1
        if self._line_bytes > MAX_LINE_BYTES:
            raise InvalidResponse("its header is too long")
        line, self._buffer = self._buffer[: end + 1], self._buffer[end + 1 :]
        if not line.endswith(b"\r\n"):
            raise InvalidResponse("a line does not end with CRLF")
        return line[:-2]

    def _bytes(self, count: int) -> bytes:
        _check_size(count)
        while len(self._buffer) < count:
            self._need_more()
        taken, self._buffer = self._buffer[:count], self._buffer[count:]
        return taken

    def _need_more(self) -> None:
        if not self._fill():
            raise InvalidResponse("it was cut off")

    def _fill(self) -> bool:
        part = self._receive()
        self.has_received = self.has_received or bool(part)
        self._buffer += part
        return bool(part)


def _check_size(count: int) -> None:
    if count > MAX_ANSWER_BYTES:
        raise InvalidResponse("it is too long")
