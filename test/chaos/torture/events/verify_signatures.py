"""Verifies signatures of webhooks with the standard library alone.

Reads requests as JSON lines from the file that it is given. Prints the number of valid ones, and the ids of the others.
"""

import base64
import hashlib
import hmac
import json
import sys


def is_valid(secret: str, request: dict) -> bool:
    key = base64.b64decode(secret.removeprefix("whsec_"))
    signed = f"{request['id']}.{request['timestamp']}.{request['body']}".encode()
    expected = base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()
    signatures = (one.split(",", 1) for one in request["signature"].split(" "))
    return any(version == "v1" and hmac.compare_digest(value, expected) for version, value in signatures)


with open(sys.argv[1], encoding="utf-8") as lines:
    requests = [json.loads(line) for line in lines]
invalid = [one["id"] for one in requests if not any(is_valid(secret, one) for secret in one["secrets"])]
print(json.dumps({"valid": len(requests) - len(invalid), "invalid": invalid}))
