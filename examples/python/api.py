"""A Python API that asks the edge next to it about each request. Python 3.9 or later, without packages."""
import http.client
import json
import os
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

EDGE = os.environ.get("LATCHKEY_VERIFY_URL", "http://127.0.0.1:4002")


FORBIDDEN = ("WRONG_ENVIRONMENT", "SOURCE_NOT_ALLOWED", "INSUFFICIENT_SCOPE")


def verify(key, source_ip):
    """Returns the verdict. Without one it raises an OSError, a ValueError or an HTTPException."""
    question = json.dumps({"key": key, "env": "live", "sourceIp": source_ip}).encode()
    with urllib.request.urlopen(f"{EDGE}/v1/verify", question, timeout=2) as answer:
        return json.load(answer)


def status_of(code):
    """The status for the code of a rejected key."""
    if code == "RATE_LIMITED":
        return 429
    return 403 if code in FORBIDDEN else 401


class Api(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        scheme, _, key = self.headers.get("Authorization", "").partition(" ")
        if scheme.lower() != "bearer" or not key:
            self.answer(401, {"error": "An API key is needed: Authorization: Bearer <key>"})
            return
        try:
            # Behind a proxy, the address that the proxy appended to X-Forwarded-For.
            verdict = verify(key.strip(), self.client_address[0])
        except (OSError, ValueError, http.client.HTTPException):
            self.answer(503, {"error": "The key could not be verified"})
            return
        if verdict["valid"] is not True:
            self.answer(status_of(verdict["code"]), {"error": verdict["code"]})
            return
        self.answer(200, {"message": f"Hello, {verdict['name']}", "keyId": verdict["keyId"]})

    def answer(self, status, body):
        content = json.dumps(body).encode()
        self.send_response(status)
        if status == 401:
            self.send_header("WWW-Authenticate", "Bearer")
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_):
        pass


if __name__ == "__main__":
    server = ThreadingHTTPServer(("127.0.0.1", int(os.environ.get("API_PORT", "3000"))), Api)
    print("ready", flush=True)
    server.serve_forever()
