"""The client of the verification port fails closed, in time, and repeats nothing that must not be repeated."""

import asyncio
import json
import os
import socket
import threading
import time
import unittest
from typing import Any
from unittest import mock

from latchkey import ReceivedRequest, Verdict, Verifier, VerifierError, VerifierRejected, VerifierUnavailable

from .stand_in import StandIn, vectors

KEY = vectors("verdicts")["call"]["key"]
BODY = json.dumps(vectors("verdicts")["verdict"]).encode()
SIGNED = ReceivedRequest("GET", "http://api.example.com/", {"signature": "sig1=:AA==:"}, "sha-256=:AA==:")


class Connections(unittest.TestCase):
    def setUp(self) -> None:
        self.stand_in = self.enterContext(StandIn())
        self.verifier = Verifier(self.stand_in.url, timeout=20)
        self.addCleanup(self.verifier.close)

    def test_are_kept(self) -> None:
        for _ in range(3):
            self.assertTrue(self.verifier.verify(KEY).valid)
        self.assertEqual(self.stand_in.connections, 1)

    def test_that_the_verifier_closed_are_not_used_again(self) -> None:
        self.stand_in.closes_after_answer = True
        for _ in range(3):
            self.assertTrue(self.verifier.verify(KEY, request=SIGNED).valid)
            self.stand_in.ended.acquire()
        self.assertEqual((len(self.stand_in.calls), self.stand_in.connections), (3, 3))

    def test_that_end_after_an_answer_are_not_used_again(self) -> None:
        self.stand_in.answer = {"verdict": {}, "headers": {"Connection": "close"}}
        self.stand_in.closes_after_answer = True
        for _ in range(2):
            self.assertTrue(self.verifier.verify(KEY).valid)

    def test_are_kept_after_interim_responses_and_chunked_answers(self) -> None:
        interim = b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n"
        head = b"HTTP/1.1 200 OK\r\n"
        chunked = head + b"Transfer-Encoding: chunked\r\n\r\n%x\r\n%b\r\n0\r\n\r\n" % (len(BODY), BODY)
        for _ in range(3):
            self.stand_in.answer = {"raw": interim + chunked, "keepsOpen": True}
            self.assertTrue(self.verifier.verify(KEY).valid)
        self.assertEqual(self.stand_in.connections, 1)

    def test_are_not_used_again_if_anything_follows_the_answer(self) -> None:
        head = b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(BODY)
        self.stand_in.answer = {"raw": (head + BODY) * 2, "keepsOpen": True}
        for _ in range(2):
            self.assertTrue(self.verifier.verify(KEY).valid)
        self.assertEqual(self.stand_in.connections, 2)

    def test_are_not_shared_with_the_process_that_was_forked(self) -> None:
        self.verifier.verify(KEY)
        with mock.patch("os.getpid", return_value=os.getpid() + 1):
            self.verifier.verify(KEY)
        self.assertEqual(self.stand_in.connections, 2)

    def close_kept_connection_with_next_call(self) -> None:
        self.verifier.verify(KEY)
        self.stand_in.answer = {"fault": "closes"}

    def test_that_close_without_an_answer_are_replaced_once(self) -> None:
        self.close_kept_connection_with_next_call()
        with self.assertRaises(VerifierUnavailable):
            self.verifier.verify(KEY)
        self.assertEqual(len(self.stand_in.calls), 3)

    def test_a_signed_request_is_not_sent_twice(self) -> None:
        self.close_kept_connection_with_next_call()
        with self.assertRaises(VerifierUnavailable):
            self.verifier.verify(KEY, request=SIGNED)
        self.assertEqual(len(self.stand_in.calls), 2)

    def test_that_are_cut_off_in_the_answer_are_not_replaced(self) -> None:
        answers: list[dict[str, Any]] = [{"verdict": {}, "cutOff": True}, {"fault": "resets"}]
        for answer in answers:
            self.stand_in.answer = {"verdict": {}}
            self.verifier.verify(KEY)
            self.stand_in.calls.clear()
            self.stand_in.answer = answer
            with self.subTest(answer), self.assertRaises(VerifierUnavailable):
                self.verifier.verify(KEY)
            self.assertEqual(len(self.stand_in.calls), 1)

    def test_a_closed_client_rejects_every_call(self) -> None:
        self.verifier.verify(KEY)
        self.verifier.close()
        with self.assertRaisesRegex(VerifierUnavailable, "closed"):
            self.verifier.verify(KEY)
        with self.assertRaisesRegex(VerifierUnavailable, "closed"):
            asyncio.run(self.verifier.verify_async(KEY))
        self.assertEqual(len(self.stand_in.calls), 1)

    def test_concurrent_calls_get_their_own_verdicts(self) -> None:
        async def verify_all() -> list[Verdict]:
            return await asyncio.gather(*(self.verifier.verify_async(f"{KEY}{i}") for i in range(50)))

        self.assertTrue(all(verdict.valid for verdict in asyncio.run(verify_all())))
        self.assertEqual({call["key"] for call in self.stand_in.calls}, {f"{KEY}{i}" for i in range(50)})


class Timeouts(unittest.TestCase):
    def drip(self, part: bytes) -> str:
        """Serves an answer that never ends, of which a part is sent every few milliseconds."""
        server = self.enterContext(socket.create_server(("127.0.0.1", 0)))

        def serve() -> None:
            connection, _ = server.accept()
            with connection:
                try:
                    while True:
                        connection.sendall(part)
                        time.sleep(0.005)
                except OSError:
                    pass

        threading.Thread(target=serve, daemon=True).start()
        return f"http://127.0.0.1:{server.getsockname()[1]}"

    def test_the_timeout_covers_answers_that_arrive_slowly(self) -> None:
        for part in (b"HTTP/1.1 200 OK\r\nX: ", b"HTTP/1.1 100 Continue\r\n\r\n", b"H"):
            with self.subTest(part):
                with (
                    self.assertRaisesRegex(VerifierUnavailable, "no answer in 0.1 s"),
                    Verifier(self.drip(part), timeout=0.1) as verifier,
                ):
                    verifier.verify(KEY)

    def test_the_timeout_covers_the_wait_for_a_thread(self) -> None:
        with StandIn() as stand_in, Verifier(stand_in.url, timeout=0.2) as verifier:
            stand_in.answer = {"fault": "silent"}

            async def verify_all() -> list[Any]:
                calls = (verifier.verify_async(KEY) for _ in range(200))
                return await asyncio.gather(*calls, return_exceptions=True)

            self.assertEqual({type(outcome) for outcome in asyncio.run(verify_all())}, {VerifierUnavailable})
            # There are 64 threads: the others have waited in vain, and are not sent later.
            self.assertLess(len(stand_in.calls), 200)

    def test_a_cancelled_call_ends(self) -> None:
        with StandIn() as stand_in, Verifier(stand_in.url, timeout=20) as verifier:
            stand_in.answer = {"fault": "silent"}

            async def cancel() -> None:
                task = asyncio.create_task(verifier.verify_async(KEY))
                while not stand_in.calls:
                    await asyncio.sleep(0)
                task.cancel()
                with self.assertRaises(asyncio.CancelledError):
                    await task

            asyncio.run(cancel())


class Secrets(unittest.TestCase):
    token = "a-verifier-token-that-must-not-leak"

    def test_are_sent_in_the_body_and_in_authorization_only(self) -> None:
        with StandIn() as stand_in, Verifier(stand_in.url + "/proxied/", token=self.token) as verifier:
            verifier.verify(KEY)
            self.assertIn("POST /proxied/v1/verify HTTP/1.1", stand_in.heads[0])
            self.assertIn(f"Authorization: Bearer {self.token}", stand_in.heads[0])
            self.assertNotIn(KEY, stand_in.heads[0])

    def test_are_in_no_error(self) -> None:
        told = {"detail": f"wrong: {KEY}, {self.token}\nand\x1b[0m more"}
        answers: list[dict[str, Any]] = [
            {"status": 401, "verdict": told},
            {"status": 503, "verdict": told},
            {"text": KEY},
            {"fault": "garbage"},
            {"verdict": {}, "headers": {"Transfer-Encoding": "chunked"}},
        ]
        for answer in answers:
            with (
                self.subTest(answer),
                StandIn() as stand_in,
                Verifier(stand_in.url, token=self.token) as verifier,
            ):
                stand_in.answer = answer
                with self.assertRaises(VerifierError) as raised:
                    verifier.verify(KEY)
                error = raised.exception
                told_by_error = f"{error!r} {error} {error.__cause__!r} {error.__context__!r}"
                for secret in (KEY, self.token, "\n", "\x1b"):
                    self.assertNotIn(secret, told_by_error)

    def test_are_in_no_error_about_options(self) -> None:
        invalid: list[tuple[str, dict[str, Any]]] = [
            (f"http://user:{self.token}@127.0.0.1", {}),
            (f"ftp://{self.token}", {}),
            ("http://127.0.0.1", {"token": f"{self.token}\n"}),
            ("http://127.0.0.1", {"timeout": 0}),
            ("http://127.0.0.1", {"timeout": float("nan")}),
        ]
        for url, options in invalid:
            with self.subTest(url), self.assertRaises(ValueError) as raised:
                Verifier(url, **options)
            self.assertNotIn(self.token, str(raised.exception))


class Limits(unittest.TestCase):
    def test_an_answer_of_any_size_takes_a_limited_memory_and_is_no_verdict(self) -> None:
        head = b"HTTP/1.1 200 OK\r\n"
        length = b"Content-Length: %d\r\n\r\n" % len(BODY)
        long = b"x" * 200_000
        answers = {
            "a long status line": b"HTTP/1.1 200 " + long + b"\r\n" + length + BODY,
            "a long header line": head + b"X: " + long + b"\r\n" + length + BODY,
            "a header line without an end": head + b"X: " + long * 5,
            "many header lines": head + b"X: y\r\n" * 101 + length + BODY,
            "many interim responses": b"HTTP/1.1 100 Continue\r\n\r\n" * 10_000 + head + length + BODY,
            "a long chunk extension": head + b"Transfer-Encoding: chunked\r\n\r\n1;" + long,
            "many chunks": head + b"Transfer-Encoding: chunked\r\n\r\n" + b"1\r\n \r\n" * 100_000,
            "many trailers": head + b"Transfer-Encoding: chunked\r\n\r\n0\r\n" + b"X: y\r\n" * 101 + b"\r\n",
            "a long body": head + b"\r\n" + BODY + b" " * 20_000,
            "a long chunk": head + b"Transfer-Encoding: chunked\r\n\r\nffff\r\n" + BODY,
        }
        for name, answer in answers.items():
            with self.subTest(name), StandIn() as stand_in, Verifier(stand_in.url, timeout=20) as verifier:
                stand_in.answer = {"raw": answer}
                with self.assertRaisesRegex(VerifierUnavailable, "the answer is not valid: it"):
                    verifier.verify(KEY)


class Errors(unittest.TestCase):
    def test_tell_the_reason_of_the_service(self) -> None:
        with StandIn() as stand_in, Verifier(stand_in.url) as verifier:
            stand_in.answer = {"status": 401, "verdict": {"detail": "This is the management port."}}
            with self.assertRaisesRegex(VerifierRejected, f"{stand_in.url} rejected the call with 401: This is"):
                verifier.verify(KEY)

    def test_a_name_that_cannot_be_resolved_is_unavailable(self) -> None:
        with self.assertRaises(VerifierUnavailable):
            Verifier("http://verifier.invalid", timeout=20).verify(KEY)

    def test_a_process_that_can_start_no_thread_is_unavailable(self) -> None:
        with (
            Verifier("http://127.0.0.1:1") as verifier,
            mock.patch("threading.Thread.start", side_effect=RuntimeError("can't start new thread")),
            self.assertRaises(VerifierUnavailable),
        ):
            verifier.verify(KEY)


if __name__ == "__main__":
    unittest.main()
