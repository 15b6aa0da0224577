"""Signs HTTP requests for Latchkey, with nothing but the standard library. Python 3.8 or newer."""
import base64
import hashlib
import hmac
import secrets
import time
from typing import Dict, Optional
from urllib.parse import urlsplit

DEFAULT_PORTS = {"http": 80, "https": 443}


def sign(
    method: str,
    url: str,
    key_id: str,
    signing_secret: str,
    body: Optional[bytes] = None,
    created: Optional[int] = None,
    nonce: Optional[str] = None,
    expires_in: int = 60,
) -> Dict[str, str]:
    """Returns the headers to add to the request. Sign each attempt anew: a signature is accepted once."""
    headers = {}
    components = ["@method", "@authority", "@path", "@query"]
    parts = urlsplit(url)
    values = {
        "@method": method,
        "@authority": authority(parts),
        "@path": parts.path or "/",
        "@query": "?" + parts.query,
    }
    if body is not None:
        digest = base64.b64encode(hashlib.sha256(body).digest()).decode()
        headers["Content-Digest"] = values["content-digest"] = f"sha-256=:{digest}:"
        components.append("content-digest")
    created = int(time.time()) if created is None else created
    nonce = secrets.token_urlsafe(16) if nonce is None else nonce
    covered = " ".join(f'"{name}"' for name in components)
    parameters = (
        f"({covered});created={created};expires={created + expires_in}"
        f';nonce="{nonce}";keyid="{key_id}";alg="hmac-sha256";tag="latchkey-v1"'
    )
    lines = [f'"{name}": {values[name]}' for name in components]
    base = "\n".join([*lines, f'"@signature-params": {parameters}'])
    mac = hmac.new(bytes.fromhex(signing_secret), base.encode("ascii"), hashlib.sha256).digest()
    headers["Signature-Input"] = f"sig1={parameters}"
    headers["Signature"] = f"sig1=:{base64.b64encode(mac).decode()}:"
    return headers


def authority(parts) -> str:
    """The host in lower case, with the port unless it is the default one of the scheme."""
    host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    if parts.port is None or parts.port == DEFAULT_PORTS[parts.scheme]:
        return host
    return f"{host}:{parts.port}"
