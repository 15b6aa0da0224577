"""What the middleware does beyond the vectors."""

import asyncio
import io
import logging
import unittest
from typing import Any

import latchkey.asgi
import latchkey.wsgi
from latchkey import Verifier

from .applications import Outcome, Send, send_asgi, send_wsgi
from .stand_in import StandIn, dead_url, vectors

FILE = vectors("verdicts")
KEY = FILE["call"]["key"]
AUTHORIZATION = ["Authorization", f"Bearer {KEY}"]
SIGNATURE = ["Signature", "sig1=:AA==:"]


def request(*headers: list[str], target: str = "/orders", **others: Any) -> dict[str, Any]:
    return {"method": "GET", "target": target, "headers": [["Host", "api.example.com"], *headers], **others}


class Middleware(unittest.TestCase):
    def setUp(self) -> None:
        self.stand_in = self.enterContext(StandIn())
        self.verifier = self.enterContext(Verifier(self.stand_in.url, timeout=20))

    def send(self, send: Send, *headers: list[str], **options: Any) -> Outcome:
        return send(request(AUTHORIZATION, *headers), verifier=self.verifier, **options)


class Both(Middleware):
    def test_the_source_follows_the_trusted_proxies(self) -> None:
        for send in (send_asgi, send_wsgi):
            forwarded = ["X-Forwarded-For", "192.0.2.66, 203.0.113.9"]
            given: list[dict[str, Any]] = [{}, {"trusted_proxies": ["127.0.0.0/8"]}, {"peer": None}]
            for options in given:
                self.send(send, forwarded, **options)
            sources = [call.get("sourceIp") for call in self.stand_in.calls]
            self.assertEqual(sources, ["127.0.0.1", "203.0.113.9", None])
            self.stand_in.calls.clear()

    def test_a_rejection_without_a_source_tells_why(self) -> None:
        self.stand_in.answer = {"verdict": {"valid": False, "code": "SOURCE_NOT_ALLOWED"}}
        for send in (send_asgi, send_wsgi):
            self.assertIn(b"X-Forwarded-For", self.send(send, peer=None).body)
            self.assertNotIn(b"X-Forwarded-For", self.send(send).body)

    def test_a_header_with_underscores_can_contain_the_key(self) -> None:
        for send in (send_asgi, send_wsgi):
            outcome = send(request(["Api_Key", KEY]), verifier=self.verifier, key_locations=["header:api_key"])
            self.assertEqual(outcome.status, 200)

    def test_a_header_that_only_some_servers_read_as_the_one_with_the_key_is_rejected(self) -> None:
        options: dict[str, Any] = {"key_locations": ["header:x-api-key"]}
        sent = request(["X-API-Key", KEY], ["X_API_Key", "other"])
        self.assertEqual(send_asgi(sent, verifier=self.verifier, **options).status, 400)
        # WSGI joins both, which is another key.
        send_wsgi(sent, verifier=self.verifier, **options)
        self.assertEqual([call["key"] for call in self.stand_in.calls], [f"{KEY},other"])

    def test_the_application_can_replace_the_rate_limit_fields(self) -> None:
        limits = {"RateLimit-Policy": '"default";q=100;w=60', "RateLimit": '"default";r=12;t=30'}
        self.stand_in.answer = {"verdict": {}, "headers": limits}

        async def asgi(scope: Any, receive: Any, send: Any) -> None:
            await send({"type": "http.response.start", "status": 200, "headers": [(b"RateLimit", b"mine")]})

        sent: list[Any] = []

        async def send(message: Any) -> None:
            sent.append(message)

        async def run() -> None:
            scope = {"type": "http", "headers": [(b"authorization", f"Bearer {KEY}".encode())]}
            middleware = latchkey.asgi.LatchkeyMiddleware(asgi, verifier=self.verifier)
            await middleware(scope, receive_nothing, send)

        asyncio.run(run())
        policy = (b"ratelimit-policy", limits["RateLimit-Policy"].encode())
        self.assertEqual(sent[0]["headers"], [(b"RateLimit", b"mine"), policy])

        def wsgi(environ: Any, start_response: Any) -> list[bytes]:
            start_response("200 OK", [("RateLimit", "mine")])
            return []

        started: list[Any] = []
        latchkey.wsgi.LatchkeyMiddleware(wsgi, verifier=self.verifier)(
            {"REQUEST_METHOD": "GET", "HTTP_AUTHORIZATION": f"Bearer {KEY}"}, lambda *given: started.append(given)
        )
        self.assertEqual(started[0][1][0], ("RateLimit", "mine"))
        self.assertEqual(len(started[0][1]), 2)

    def test_the_default_log_has_one_line_per_minute_and_no_key(self) -> None:
        with Verifier(dead_url()) as verifier, self.assertLogs("latchkey", logging.ERROR) as logs:
            middleware = latchkey.wsgi.LatchkeyMiddleware(lambda *_: [b"through"], verifier=verifier)
            for _ in range(3):
                body = middleware({"REQUEST_METHOD": "GET", "HTTP_AUTHORIZATION": f"Bearer {KEY}"}, lambda *_: None)
                self.assertIn(b"UNAVAILABLE", b"".join(body))
        self.assertEqual(len(logs.output), 1)
        self.assertNotIn(KEY, logs.output[0])

    def test_invalid_options_are_rejected(self) -> None:
        invalid: list[dict[str, Any]] = [
            {"env": "staging"},
            {"require_scopes": "orders:read"},
            {"require_scopes": ["two words"]},
            {"require_scopes": ["orders:read\n"]},
            {"key_locations": "authorization"},
            {"key_locations": []},
            {"trusted_proxies": "10.0.0.0/8"},
            {"trusted_proxies": ["10.0.0.1/8"]},
            {"trusted_proxies": ["proxy.example.com"]},
            {"origin": "api.example.com"},
            {"origin": "https://api.example.com/path"},
            {"body_limit": -1},
        ]
        for options in invalid:
            for middleware in (latchkey.asgi.LatchkeyMiddleware, latchkey.wsgi.LatchkeyMiddleware):
                with self.subTest(options), self.assertRaises((TypeError, ValueError)):
                    middleware(AnyApplication, verifier=self.verifier, **options)


AnyApplication: Any = None


async def receive_nothing() -> Any:
    raise AssertionError("the middleware must not read the body of an unsigned request")


class Asgi(Middleware):
    def run_scope(self, scope: dict[str, Any], *received: Any) -> tuple[list[Any], list[Any]]:
        """Returns what was sent, and the scopes that reached the application."""
        sent: list[Any] = []
        passed: list[Any] = []
        messages = list(received)

        async def app(scope: Any, receive: Any, send: Any) -> None:
            passed.append(scope)
            if scope["type"] == "websocket":
                await send({"type": "websocket.accept"})

        async def receive() -> Any:
            return messages.pop(0)

        async def send(message: Any) -> None:
            sent.append(message)

        asyncio.run(latchkey.asgi.LatchkeyMiddleware(app, verifier=self.verifier)(scope, receive, send))
        return sent, passed

    def scope(self, kind: str, *headers: list[str], **others: Any) -> dict[str, Any]:
        fields = [(name.lower().encode(), value.encode()) for name, value in headers]
        return {"type": kind, "path": "/a b/é", "headers": fields, "client": ("127.0.0.1", 1), **others}

    def test_lifespan_passes(self) -> None:
        scope = {"type": "lifespan"}
        self.assertEqual(self.run_scope(scope), ([], [scope]))

    def test_an_unknown_kind_of_connection_does_not_pass(self) -> None:
        with self.assertRaises(ValueError):
            self.run_scope(self.scope("webtransport", AUTHORIZATION))

    def test_a_websocket_is_verified_when_it_opens(self) -> None:
        sent, passed = self.run_scope(self.scope("websocket", AUTHORIZATION, scheme="ws"))
        self.assertEqual((sent[0]["type"], passed[0]["state"]["api_key"].env), ("websocket.accept", "live"))
        self.stand_in.answer = {"verdict": {"valid": False, "code": "REVOKED"}}
        for authorization in (["X-Other", "1"], AUTHORIZATION):
            sent, passed = self.run_scope(self.scope("websocket", authorization, scheme="ws"))
            self.assertEqual((sent, passed), ([{"type": "websocket.close", "code": 1008}], []))

    def test_a_rejected_websocket_gets_the_problem_document_if_the_server_can_send_it(self) -> None:
        self.stand_in.answer = {"verdict": {"valid": False, "code": "REVOKED"}}
        extensions: dict[str, Any] = {"websocket.http.response": {}}
        sent, passed = self.run_scope(self.scope("websocket", AUTHORIZATION, extensions=extensions))
        self.assertEqual((sent[0]["type"], sent[0]["status"], passed), ("websocket.http.response.start", 401, []))
        self.assertIn(b"REVOKED", sent[1]["body"])

    def test_a_signed_websocket_is_verified_as_a_get_request_without_a_body(self) -> None:
        host = ["Host", "api.example.com"]
        self.run_scope(self.scope("websocket", AUTHORIZATION, host, SIGNATURE, scheme="wss", raw_path=b"/chat"))
        verified = self.stand_in.calls[0]["request"]
        self.assertEqual((verified["method"], verified["url"]), ("GET", "https://api.example.com/chat"))

    def test_a_path_without_its_raw_form_is_encoded(self) -> None:
        scope = self.scope("http", AUTHORIZATION, ["Host", "h"], SIGNATURE, method="GET", query_string=b"q=1")
        self.run_scope(scope, {"type": "http.request"})
        self.assertEqual(self.stand_in.calls[0]["request"]["url"], "http://h/a%20b/%C3%A9?q=1")

    def test_a_client_that_goes_while_it_sends_its_body_gets_no_response(self) -> None:
        scope = self.scope("http", AUTHORIZATION, SIGNATURE, method="POST")
        messages = [{"type": "http.request", "body": b"x", "more_body": True}, {"type": "http.disconnect"}]
        self.assertEqual(self.run_scope(scope, *messages), ([], []))
        self.assertEqual(self.stand_in.calls, [])

    def test_the_state_of_the_application_is_not_changed(self) -> None:
        state = {"database": 1}
        scope = self.scope("http", AUTHORIZATION, state=state)
        _, passed = self.run_scope(scope)
        self.assertEqual(passed[0]["state"]["database"], 1)
        self.assertEqual((state, scope["state"]), ({"database": 1}, {"database": 1}))


class Wsgi(Middleware):
    def digest_of(self, body: bytes, **environ: Any) -> tuple[str | None, Any]:
        """Returns the digest with which a signed request is verified, and what the application reads."""
        read: list[bytes] = []

        def app(environ: Any, start_response: Any) -> list[bytes]:
            read.append(environ["wsgi.input"].read())
            start_response("200 OK", [])
            return []

        given = {
            "REQUEST_METHOD": "POST",
            "PATH_INFO": "/é".encode().decode("latin-1"),
            "wsgi.url_scheme": "http",
            "wsgi.input": Trickle(body),
            "HTTP_HOST": "h",
            "HTTP_AUTHORIZATION": f"Bearer {KEY}",
            "HTTP_SIGNATURE": "sig1=:AA==:",
            **environ,
        }
        latchkey.wsgi.LatchkeyMiddleware(app, verifier=self.verifier, body_limit=10)(given, lambda *_: None)
        verified = self.stand_in.calls.pop()["request"] if self.stand_in.calls else {}
        return verified.get("bodyDigest"), read[0] if read else None

    def test_an_answer_to_head_has_no_body(self) -> None:
        sent = {"method": "HEAD", "target": "/", "headers": []}
        outcome = send_wsgi(sent, verifier=self.verifier)
        self.assertEqual((outcome.status, outcome.body, int(outcome.headers["content-length"]) > 0), (401, b"", True))

    def test_a_body_of_any_framing_is_read_whole_and_once(self) -> None:
        expected, _ = self.digest_of(b"01234", CONTENT_LENGTH="5")
        assert expected is not None
        terminated = {"HTTP_TRANSFER_ENCODING": "chunked", "wsgi.input_terminated": True}
        self.assertEqual(self.digest_of(b"01234rest", CONTENT_LENGTH="5"), (expected, b"01234"))
        self.assertEqual(self.digest_of(b"01234", **terminated), (expected, b"01234"))

    def test_a_body_that_is_not_whole_or_not_readable_has_no_digest_and_reaches_no_application(self) -> None:
        # The service rejects it, because a body is announced. Here, the stand-in accepts everything.
        for environ in (
            {"CONTENT_LENGTH": "6"},
            {"CONTENT_LENGTH": "-1"},
            {"CONTENT_LENGTH": "٥"},
            {"HTTP_TRANSFER_ENCODING": "chunked"},
        ):
            self.assertEqual(self.digest_of(b"01234", **environ), (None, b""))

    def test_a_body_above_the_limit_is_not_verified(self) -> None:
        terminated: dict[str, Any] = {"HTTP_TRANSFER_ENCODING": "chunked", "wsgi.input_terminated": True}
        for environ in ({"CONTENT_LENGTH": "11"}, {"CONTENT_LENGTH": "9" * 5000}, terminated):
            self.assertEqual(self.digest_of(b"0123456789a", **environ), (None, None))

    def test_a_path_without_its_raw_form_is_encoded(self) -> None:
        paths: list[tuple[dict[str, str], str]] = [
            ({}, "http://h/%C3%A9"),
            ({"SCRIPT_NAME": "/app", "QUERY_STRING": "q=%20"}, "http://h/app/%C3%A9?q=%20"),
            ({"RAW_URI": "/%c3%a9"}, "http://h/%c3%a9"),
        ]
        for environ, url in paths:
            given = {"REQUEST_METHOD": "GET", "wsgi.url_scheme": "http", "wsgi.input": io.BytesIO()}
            path = {"PATH_INFO": "/é".encode().decode("latin-1"), "HTTP_HOST": "h", "HTTP_SIGNATURE": "x"}
            key = {"REQUEST_METHOD": "GET", "HTTP_AUTHORIZATION": f"Bearer {KEY}"}
            middleware = latchkey.wsgi.LatchkeyMiddleware(lambda *_: [], verifier=self.verifier)
            middleware({**given, **path, **key, **environ}, lambda *_: None)
            self.assertEqual(self.stand_in.calls[-1]["request"]["url"], url)


class Trickle(io.BytesIO):
    """Returns fewer bytes than asked for, as a socket may."""

    def read(self, size: int | None = -1, /) -> bytes:
        return super().read(min(2, size) if size is not None and size > 0 else size)


if __name__ == "__main__":
    unittest.main()
