"""A Python API that asks the edge next to it about each request. Python 3.11 or later, without packages."""
import json
import os
import signal
import sys
from pathlib import Path
from wsgiref.simple_server import make_server

# Without this checkout: pip install ./clients/python
sys.path.insert(0, str(Path(__file__).parents[2] / "clients/python/src"))

from latchkey import Verifier
from latchkey.wsgi import LatchkeyMiddleware

EDGE = os.environ.get("LATCHKEY_VERIFY_URL", "http://127.0.0.1:4002")


def api(environ, start_response):
    key = environ["latchkey.key"]
    start_response("200 OK", [("Content-Type", "application/json")])
    return [json.dumps({"message": f"Hello, {key.name}", "keyId": key.key_id}).encode()]


if __name__ == "__main__":
    signal.signal(signal.SIGINT, lambda *_: sys.exit(130))  # Ctrl-C, without a traceback
    # Behind a proxy, also give its address as trusted_proxies.
    app = LatchkeyMiddleware(api, verifier=Verifier(EDGE), env="live")
    with make_server("127.0.0.1", int(os.environ.get("API_PORT", "3000")), app) as server:
        print("ready", flush=True)
        server.serve_forever()
