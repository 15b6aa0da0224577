package latchkey

import (
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"syscall"
	"time"
)

// UnavailableError means that no well-formed answer arrived in time. The key may be valid or not: reject the request
// with 503. It wraps the error of the context, if that has ended the call.
type UnavailableError struct {
	// RetryAfter is the verifier's Retry-After (RFC 9110, section 10.2.3), or 0.
	RetryAfter time.Duration
	// Status is that of the verifier's answer, or 0 without an answer or if a 200 was not well-formed.
	Status int

	message string
	cause   error
}

func (e *UnavailableError) Error() string { return e.message }

func (e *UnavailableError) Unwrap() error { return e.cause }

// RejectedError means that the program made an invalid call (400, 413) or has a wrong verifier token (401). Do not
// retry.
type RejectedError struct {
	Status  int
	message string
}

func (e *RejectedError) Error() string { return e.message }

func unavailable(origin, reason string) *UnavailableError {
	return &UnavailableError{message: fmt.Sprintf("latchkey: the verifier at %s gave no usable answer: %s", origin, reason)}
}

var errTooLong = errors.New("too long")

// reasonOf describes an error of net/http without its text, because some of these texts contain received bytes.
func reasonOf(err error) string {
	var (
		number      syscall.Errno
		name        *net.DNSError
		unknown     x509.UnknownAuthorityError
		wrongHost   x509.HostnameError
		invalid     x509.CertificateInvalidError
		certificate = errors.As(err, &unknown) || errors.As(err, &wrongHost) || errors.As(err, &invalid)
	)
	switch {
	case errors.Is(err, errTooLong):
		return "the answer was too long"
	case errors.Is(err, io.ErrUnexpectedEOF):
		return "the answer was cut off"
	case errors.As(err, &number):
		return "the connection failed (" + number.Error() + ")"
	case errors.As(err, &name):
		return "the name of its host has no address"
	case certificate:
		return "its certificate is not trusted"
	}
	return "the connection failed"
}
