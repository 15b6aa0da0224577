"""`SignedAuth` signs what httpx and requests send."""

import asyncio
import importlib
import unittest
from collections.abc import Iterator
from typing import Any

from latchkey import SignedAuth, sign_request
from latchkey.signing import content_digest

KEY = "lk_live_Abcd1234_a-secret-that-must-not-leak"
KEY_ID = "0197a2b4-6c1e-7d3f-8a55-2f9b1c0d4e6a"
SIGNING_SECRET = "8f" * 32
URL = "https://api.example.com/orders?a=1"


def imported(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


httpx = imported("httpx")
requests = imported("requests")


def auth() -> SignedAuth:
    return SignedAuth(KEY, KEY_ID, SIGNING_SECRET, now=lambda: 1772366400.9)


def parts() -> Iterator[bytes]:
    yield b"part"


class Signing(unittest.TestCase):
    def assert_signed(self, headers: Any, body: bytes | None) -> None:
        self.assertEqual(headers["authorization"], f"Bearer {KEY}")
        self.assertIn(";created=1772366400;expires=1772366460;", headers["signature-input"])
        self.assertTrue(headers["signature"].startswith("sig1=:"))
        self.assertEqual(headers.get("content-digest"), None if body is None else content_digest("sha-256", body))


@unittest.skipIf(httpx is None, "there is no httpx")
class Httpx(Signing):
    def sent(self, method: str = "POST", **options: Any) -> Any:
        """Returns the request that httpx sends."""
        sent: list[Any] = []

        def answer(request: Any) -> Any:
            sent.append(request)
            return httpx.Response(200)

        with httpx.Client(transport=httpx.MockTransport(answer), auth=auth()) as client:
            client.request(method, URL, **options)
        return sent[0]

    def test_a_request_without_a_body_has_no_digest(self) -> None:
        self.assert_signed(self.sent("GET").headers, None)

    def test_bodies_of_every_kind_have_their_digest(self) -> None:
        bodies: list[dict[str, Any]] = [
            {"json": {"amount": 5}},
            {"data": {"name": "café"}},
            {"content": "café"},
            {"content": b""},
            {"files": {"file": b"content"}},
        ]
        for options in bodies:
            with self.subTest(options):
                request = self.sent(**options)
                self.assert_signed(request.headers, request.read())

    def test_an_asynchronous_client_signs(self) -> None:
        async def send() -> Any:
            transport = httpx.MockTransport(lambda request: httpx.Response(200, json=dict(request.headers)))
            async with httpx.AsyncClient(transport=transport, auth=auth()) as client:
                return (await client.post(URL, content=b"body")).json()

        self.assert_signed(asyncio.run(send()), b"body")

    def test_a_stream_is_rejected_because_its_digest_is_not_known(self) -> None:
        async def stream() -> Any:
            yield b"part"

        async def send() -> None:
            async with httpx.AsyncClient(auth=auth()) as client:
                await client.post(URL, content=stream())

        with self.assertRaises(TypeError):
            asyncio.run(send())

    def test_a_redirect_to_another_host_gets_no_key(self) -> None:
        hosts: list[tuple[str, bool]] = []

        def answer(request: Any) -> Any:
            hosts.append((request.url.host, "authorization" in request.headers))
            return httpx.Response(307, headers={"location": "https://other.example/"})

        with httpx.Client(transport=httpx.MockTransport(answer), auth=auth(), max_redirects=1) as client:
            with self.assertRaises(httpx.TooManyRedirects):
                client.get(URL, follow_redirects=True)
        self.assertEqual(hosts, [("api.example.com", True), ("other.example", False)])


@unittest.skipIf(requests is None, "there is no requests")
class Requests(Signing):
    def prepared(self, method: str = "POST", **options: Any) -> Any:
        return requests.Request(method, URL, auth=auth(), **options).prepare()

    def test_a_request_without_a_body_has_no_digest(self) -> None:
        self.assert_signed(self.prepared("GET").headers, None)

    def test_bodies_of_every_kind_have_their_digest_and_length(self) -> None:
        bodies: list[dict[str, Any]] = [
            {"json": {"amount": 5}},
            {"data": {"name": "café"}},
            {"data": "café"},
            {"data": b"bytes"},
            {"files": {"file": b"content"}},
        ]
        for options in bodies:
            with self.subTest(options):
                request = self.prepared(**options)
                self.assert_signed(request.headers, request.body)
                self.assertEqual(request.headers["content-length"], str(len(request.body)))

    def test_a_stream_is_rejected_because_its_digest_is_not_known(self) -> None:
        with self.assertRaises(TypeError):
            self.prepared(data=parts())


class Arguments(unittest.TestCase):
    def test_invalid_ones_are_rejected_without_repeating_them(self) -> None:
        for api_key, key_id, signing_secret in [
            (KEY, KEY_ID, SIGNING_SECRET[1:]),
            (f"{KEY}\n", KEY_ID, SIGNING_SECRET),
            (KEY, "lk_live_Abcd1234", SIGNING_SECRET),
            (KEY, KEY, SIGNING_SECRET),
        ]:
            with self.assertRaises(ValueError) as raised:
                SignedAuth(api_key, key_id, signing_secret)
            for secret in (KEY, SIGNING_SECRET[1:]):
                self.assertNotIn(secret, str(raised.exception))

    def test_a_url_that_would_not_be_sent_as_it_is_signed_is_rejected(self) -> None:
        for url in ("https://api.example.com/a b", "https://api.example.com/a\n", "https://api.example.com/é"):
            with self.subTest(url), self.assertRaises(ValueError):
                sign_request("GET", url, key_id=KEY_ID, signing_secret=SIGNING_SECRET)


if __name__ == "__main__":
    unittest.main()
