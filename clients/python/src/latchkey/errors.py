"""The errors of a verification. Their texts contain neither the key nor the token."""


class VerifierError(Exception):
    """There is no verdict: reject the request with 503. The base of both errors."""


class VerifierUnavailable(VerifierError):
    """No well-formed answer arrived in time. The key may be valid or not.

    `retry_after` is the Retry-After of the answer in seconds (RFC 9110, section 10.2.3), or None. `status` is the
    status of the answer; None without an answer, or if a 200 was not well-formed.
    """

    def __init__(self, message: str, retry_after: int | None = None, status: int | None = None) -> None:
        super().__init__(message)
        self.retry_after = retry_after
        self.status = status


class VerifierRejected(VerifierError):
    """The program made an invalid call (`status` 400 or 413) or has a wrong verifier token (401). Don't retry.

    Of `derive`, also a key that is rejected (401, 403).
    """

    def __init__(self, message: str, status: int) -> None:
        super().__init__(message)
        self.status = status
