"""The client does what the vectors in `clients/conformance` say."""

import dataclasses
import json
import unittest
from datetime import datetime
from typing import Any

from latchkey import Verifier, VerifierError, VerifierRejected, VerifierUnavailable, sign_request
from latchkey.key_locations import KeyLocations
from latchkey.problems import Rejection
from latchkey.source import TrustedProxies

from .applications import Outcome, Send, send_asgi, send_wsgi
from .stand_in import StandIn, dead_url, vectors

OPTIONS = {
    "env": "env",
    "requireScopes": "require_scopes",
    "keyLocations": "key_locations",
    "origin": "origin",
    "bodyLimit": "body_limit",
    "errorsUrl": "errors_url",
}
FIELDS = ("content-type", "cache-control", "www-authenticate", "retry-after", "ratelimit-policy", "ratelimit")


class Verdicts(unittest.TestCase):
    file = vectors("verdicts")

    def test_asgi_middleware_decides_as_the_vectors_say(self) -> None:
        self.run_all(send_asgi, joins_fields=False)

    def test_wsgi_middleware_decides_as_the_vectors_say(self) -> None:
        self.run_all(send_wsgi, joins_fields=True)

    def run_all(self, send: Send, joins_fields: bool) -> None:
        for case in self.file["cases"]:
            request = case["input"].get("request", self.file["request"])
            names = [name.lower() for name, _ in request["headers"]]
            if joins_fields and len(set(names)) < len(names):
                continue
            with self.subTest(case["name"]), StandIn() as stand_in:
                self.run_case(case, request, send, stand_in)

    def run_case(self, case: Any, request: Any, send: Send, stand_in: StandIn) -> None:
        answer, expected = case["input"]["answer"], case["expected"]
        fault = answer.get("fault")
        stand_in.answer = answer
        errors: list[VerifierError] = []
        given = case["input"].get("options", {})
        options = {name: given[vector] for vector, name in OPTIONS.items() if vector in given}
        verifier = Verifier(
            dead_url() if fault == "refuses" else stand_in.url, timeout=1 if fault == "silent" else 20
        )
        outcome = send(request, verifier=verifier, on_verifier_error=errors.append, **options)
        verifier.close()

        calls = [{name: call[name] for name in call if name != "sourceIp"} for call in stand_in.calls]
        is_called = expected.get("call", {}) is not None and fault != "refuses"
        self.assertEqual(calls, [{**self.file["call"], **expected.get("call", {})}] if is_called else [])
        self.assertEqual([describe(error) for error in errors], [expected["error"]] if "error" in expected else [])
        self.assertNotIn(self.file["call"]["key"], f"{outcome.body!r} {[(e.args, e.__context__) for e in errors]}")
        if "problem" in expected:
            self.assert_rejected(outcome, expected)
        else:
            self.assert_passed(outcome, expected, request)

    def assert_rejected(self, outcome: Outcome, expected: Any) -> None:
        changed = dict(expected["problem"])
        problem = {**self.file["problems"][changed["code"]], **changed}
        self.assertEqual(json.loads(outcome.body), problem)
        self.assertEqual(outcome.status, problem["status"])
        self.assertEqual(fields_of(outcome), {**self.file["problemHeaders"], **expected["headers"]})
        self.assertIsNone(outcome.received_body, "the request reached the application")

    def assert_passed(self, outcome: Outcome, expected: Any, request: Any) -> None:
        self.assertEqual(outcome.received_body, request.get("body", "").encode())
        self.assertEqual((outcome.status, outcome.body), (200, b"done"))
        self.assertEqual(fields_of(outcome), expected.get("headers", {}))
        expected_key = {**self.file["key"], **expected["key"]}
        assert outcome.key is not None
        key = {camel_case(name): value for name, value in dataclasses.asdict(outcome.key).items()}
        if expected_key["expiresAt"] is not None:
            expected_key["expiresAt"] = datetime.fromisoformat(expected_key["expiresAt"])
        limit = key["rateLimit"] and {camel_case(name): value for name, value in key["rateLimit"].items()}
        self.assertEqual({**key, "scopes": list(key["scopes"]), "rateLimit": limit}, expected_key)


def fields_of(outcome: Outcome) -> dict[str, str]:
    return {name: outcome.headers[name] for name in FIELDS if name in outcome.headers}


def camel_case(name: str) -> str:
    first, *others = name.split("_")
    return first + "".join(map(str.capitalize, others))


def describe(error: VerifierError) -> dict[str, Any]:
    if isinstance(error, VerifierRejected):
        return {"kind": "rejected", "status": error.status}
    assert isinstance(error, VerifierUnavailable)
    described = {"kind": "unavailable", "status": error.status, "retryAfterSeconds": error.retry_after}
    return {name: value for name, value in described.items() if value is not None}


class Derivations(unittest.TestCase):
    def test_tokens_are_derived_as_the_vectors_say(self) -> None:
        for case in vectors("derive")["cases"]:
            with self.subTest(case["name"]), StandIn() as stand_in:
                self.run_case(case["input"], case["expected"], stand_in)

    def run_case(self, given: Any, expected: Any, stand_in: StandIn) -> None:
        derivation = given["derivation"]
        stand_in.answer = given["answer"]
        verifier = Verifier(stand_in.url, timeout=20)
        expires_at = datetime.fromisoformat(derivation["expiresAt"])
        others = {name: derivation[name] for name in ("env", "sources", "label") if name in derivation}
        derived, error = None, None
        try:
            derived = verifier.derive(
                derivation["key"], scopes=derivation["scopes"], expires_at=expires_at, **others
            )
        except VerifierError as raised:
            error = raised
        verifier.close()
        (call,) = stand_in.calls
        self.assertEqual(datetime.fromisoformat(call.pop("expiresAt")), expires_at)
        self.assertEqual(call, expected["call"])
        self.assertTrue(stand_in.heads[0].startswith("POST /v1/derive HTTP/1.1\r\n"))
        self.assertEqual(error and describe(error), expected.get("error"))
        self.assertNotIn(derivation["key"], str(error))
        if derived is not None:
            self.assertEqual(derived.token, expected["token"])
            self.assertEqual(derived.expires_at, datetime.fromisoformat(expected["expiresAt"]))
            self.assertNotIn(derived.token, repr(derived))

    def test_a_time_without_a_zone_is_rejected(self) -> None:
        with self.assertRaises(ValueError):
            Verifier().derive("a-key", scopes=[], expires_at=datetime(2031, 1, 1))


class Responses(unittest.TestCase):
    def test_verdicts_count_only_in_responses_that_the_vectors_accept(self) -> None:
        body = json.dumps(vectors("verdicts")["verdict"])
        values = {"body": body, "cutBody": body[:-1], "length": str(len(body)), "hexLength": f"{len(body):x}"}
        for case in vectors("responses")["cases"]:
            response = case["input"]["response"]
            for name, value in values.items():
                response = response.replace(f"{{{name}}}", value)
            with (
                self.subTest(case["name"]),
                StandIn() as stand_in,
                Verifier(stand_in.url, timeout=20) as verifier,
            ):
                stand_in.answer = {"raw": response.encode("latin-1")}
                if "valid" in case["expected"]:
                    self.assertTrue(verifier.verify(self.key).valid)
                else:
                    with self.assertRaises(VerifierUnavailable):
                        verifier.verify(self.key)

    key = vectors("verdicts")["call"]["key"]


class Signatures(unittest.TestCase):
    def test_signatures_are_those_of_the_vectors(self) -> None:
        for case in vectors("signatures")["cases"]:
            given, expected = case["input"], case["expected"]
            body = given.get("body")

            def sign() -> dict[str, str]:
                return sign_request(
                    given["method"],
                    given["url"],
                    key_id=given["keyId"],
                    signing_secret=given["signingSecret"],
                    body=None if body is None else body.encode(),
                    headers=given.get("headers"),
                    created=given["created"],
                    expires_in=given["expires"] - given["created"],
                    nonce=given["nonce"],
                )

            with self.subTest(case["name"]):
                if "error" not in expected:
                    self.assertEqual(sign(), expected["headers"])
                    continue
                with self.assertRaises(ValueError) as raised:
                    sign()
                for secret in {given["keyId"], given["signingSecret"]} - {""}:
                    self.assertNotIn(secret, str(raised.exception))


class Sources(unittest.TestCase):
    def test_sources_are_those_of_the_vectors(self) -> None:
        for case in vectors("sources")["cases"]:
            given = case["input"]
            with self.subTest(case["name"]):
                headers = [(name.lower(), value) for name, value in given["headers"]]
                source = TrustedProxies(given["trustedProxies"]).source_of(given["peer"], headers)
                self.assertEqual(source, case["expected"]["source"])


class Locations(unittest.TestCase):
    def test_keys_are_found_where_the_vectors_say(self) -> None:
        for case in vectors("key-locations")["cases"]:
            given, expected = case["input"], case["expected"]
            with self.subTest(case["name"]):
                if "invalid" in expected:
                    with self.assertRaises(ValueError):
                        KeyLocations(given["locations"].split(","))
                    continue
                locations = KeyLocations(given["locations"].split(","))
                if "challenge" in expected:
                    found = {"challenge": locations.challenge, "instruction": locations.instruction}
                    self.assertEqual(found, expected)
                    continue
                headers = {name.lower(): value for name, value in given["headers"]}
                if "ambiguous" in expected:
                    with self.assertRaises(Rejection) as raised:
                        locations.find(headers)
                    self.assertEqual(raised.exception.code, "UNAUTHENTICATED")
                    self.assertEqual(raised.exception.detail, expected["ambiguous"])
                else:
                    self.assertEqual(locations.find(headers), expected.get("key"))


if __name__ == "__main__":
    unittest.main()
