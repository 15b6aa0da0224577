"""Verifies API keys of Latchkey, and signs requests. Uses only the standard library.

The middleware is in `latchkey.asgi` and `latchkey.wsgi`.
"""

from .errors import VerifierError, VerifierRejected, VerifierUnavailable
from .signing import SignedAuth, sign_request
from .verdict import DerivedToken, RateLimit, Verdict, VerifiedKey
from .verifier import ReceivedRequest, Verifier

__all__ = [
    "DerivedToken",
    "RateLimit",
    "ReceivedRequest",
    "SignedAuth",
    "Verdict",
    "VerifiedKey",
    "Verifier",
    "VerifierError",
    "VerifierRejected",
    "VerifierUnavailable",
    "sign_request",
]
