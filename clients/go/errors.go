package latchkey

import (
	"context"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"sort"
	"strconv"
	"strings"
	"syscall"
	"time"
	"unicode"
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

// RejectedError means that the program made an invalid call (400, 413) or has a wrong verifier token (401), or, of
// [Verifier.Derive], that the key is rejected (401, 403). Do not retry.
type RejectedError struct {
	Status  int
	message string
}

func (e *RejectedError) Error() string { return e.message }

func (v *Verifier) unavailable(reason string) *UnavailableError {
	return &UnavailableError{message: "latchkey: the verifier at " + v.origin + " gave no usable answer: " + reason}
}

// errorOf returns the error for an answer that is no success.
func (v *Verifier) errorOf(response *http.Response, to endpoint, explanation string) error {
	status := response.StatusCode
	for _, rejected := range to.rejected {
		if status == rejected {
			message := fmt.Sprintf("latchkey: the verifier at %s rejected the call with %d%s", v.origin, status, explanation)
			return &RejectedError{status, message}
		}
	}
	unavailable := v.unavailable(fmt.Sprintf("it answered %d%s", status, explanation))
	unavailable.Status = status
	seconds, err := strconv.ParseUint(joined(response.Header, "Retry-After"), 10, 32)
	if err == nil && seconds < 100_000 {
		unavailable.RetryAfter = time.Duration(seconds) * time.Second
	}
	return unavailable
}

// explanation returns the service's explanation of an error (RFC 9457), such as a wrong port, in one line for logs.
func explanation(body []byte, token string, about []Verification) string {
	var problem struct{ Detail string }
	if json.Unmarshal(body, &problem) != nil || problem.Detail == "" {
		return ""
	}
	secrets := []string{token}
	for _, one := range about {
		secrets = append(secrets, one.Key)
	}
	// The longest first, because one can be part of another.
	sort.Slice(secrets, func(i, j int) bool { return len(secrets[i]) > len(secrets[j]) })
	var replacements []string
	for _, secret := range secrets {
		if secret != "" {
			replacements = append(replacements, secret, "[secret]")
		}
	}
	// In one pass, so that a key of few letters is not found in what replaces another one.
	detail := strings.NewReplacer(replacements...).Replace(problem.Detail)
	return fmt.Sprintf(": %.500s", strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return ' '
	}, detail))
}

// reasonOf describes an error of a call without its text, because some of these texts contain received bytes.
func reasonOf(err error) string {
	var number syscall.Errno
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return "there was no answer in time"
	case errors.Is(err, context.Canceled):
		return "the call was canceled"
	case is[*http.MaxBytesError](err):
		return "the answer was too long"
	case errors.Is(err, io.ErrUnexpectedEOF):
		return "the answer was cut off"
	case errors.As(err, &number):
		return "the connection failed (" + number.Error() + ")"
	case is[*net.DNSError](err):
		return "the name of its host has no address"
	case is[x509.UnknownAuthorityError](err), is[x509.HostnameError](err), is[x509.CertificateInvalidError](err):
		return "its certificate is not trusted"
	}
	return "the connection failed"
}

// is returns whether err is, or wraps, an error of type E.
func is[E error](err error) bool {
	var target E
	return errors.As(err, &target)
}
