package latchkey

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"os"
	"regexp"
	"strings"
	"sync/atomic"
	"time"
)

// SigningOptions configure NewSigningTransport and NewSigningClient.
type SigningOptions struct {
	// APIKey is the key's secret, sent as Authorization: Bearer.
	APIKey string
	// KeyID is the id of the key, a UUID.
	KeyID string
	// SigningSecret has 64 hexadecimal characters, returned when request signing was enabled or rotated.
	SigningSecret string
	// Base sends the signed requests. Default: http.DefaultTransport.
	Base http.RoundTripper
	// Now returns the current time, for machines whose clock is known to be wrong. Default: time.Now.
	Now func() time.Time
}

// Format omits the secrets from logs.
func (SigningOptions) Format(state fmt.State, _ rune) {
	io.WriteString(state, "latchkey.SigningOptions")
}

// SigningTransport is an http.RoundTripper that sends an API key, and signs every request by the profile latchkey-v1 of
// HTTP Message Signatures (RFC 9421): method, authority, path, query and the digest of the body.
//
// A body is read into memory. Each attempt is signed anew, because a signature is accepted once. Redirects get an error,
// because the key must not reach other servers. Authorization is replaced.
type SigningTransport struct {
	options         SigningOptions
	secret          []byte
	nonce           func() (string, error)
	lifetimeSeconds int64
}

var keyID = regexp.MustCompile(`^[\x20\x21\x23-\x5b\x5d-\x7e]{1,256}$`)

// NewSigningTransport returns an error for invalid options, without their values.
func NewSigningTransport(options SigningOptions) (*SigningTransport, error) {
	secret, err := hex.DecodeString(options.SigningSecret)
	switch {
	case !visible.MatchString(options.APIKey):
		return nil, errors.New("latchkey: APIKey must be the secret of a key: visible ASCII characters")
	case !keyID.MatchString(options.KeyID) || strings.HasPrefix(options.APIKey, options.KeyID):
		return nil, errors.New("latchkey: KeyID must be the id of the key, not its secret or prefix")
	case err != nil || len(secret) != 32:
		return nil, errors.New("latchkey: SigningSecret must be 64 hexadecimal characters")
	}
	if options.Base == nil {
		options.Base = http.DefaultTransport
	}
	if options.Now == nil {
		options.Now = time.Now
	}
	return &SigningTransport{options, secret, randomNonce, 60}, nil
}

// NewSigningClient returns a client that signs its requests, and returns the answers of redirects as they are.
func NewSigningClient(options SigningOptions) (*http.Client, error) {
	transport, err := NewSigningTransport(options)
	if err != nil {
		return nil, err
	}
	return &http.Client{Transport: transport, CheckRedirect: returnRedirect}, nil
}

// Format omits the secrets from logs.
func (*SigningTransport) Format(state fmt.State, _ rune) {
	io.WriteString(state, "latchkey.SigningTransport")
}

// CloseIdleConnections closes those of the base transport, for http.Client.CloseIdleConnections.
func (t *SigningTransport) CloseIdleConnections() {
	if base, ok := t.options.Base.(interface{ CloseIdleConnections() }); ok {
		base.CloseIdleConnections()
	}
}

// RoundTrip signs and sends a request. If a kept connection was closed before any byte of the answer, a request that
// may arrive twice (GET, HEAD, OPTIONS, or with Idempotency-Key) is signed anew and sent once more.
func (t *SigningTransport) RoundTrip(request *http.Request) (*http.Response, error) {
	body, err := readBody(request)
	if err != nil {
		return nil, err
	}
	var stale atomic.Bool
	response, err := t.attempt(request, body, &stale)
	if err != nil && stale.Load() && mayArriveTwice(request) && !os.IsTimeout(err) && request.Context().Err() == nil {
		response, err = t.attempt(request, body, &stale)
	}
	return response, err
}

// readBody reads and closes the body of a request. It returns nil without a body.
func readBody(request *http.Request) ([]byte, error) {
	if request.Body != nil && request.Body != http.NoBody {
		defer request.Body.Close()
		return io.ReadAll(request.Body)
	}
	if hasIdempotencyKey(request) {
		// Signed with the digest of no bytes, because attempt makes it a body that http.Transport sends in chunks.
		return []byte{}, nil
	}
	return nil, nil
}

// attempt sets stale if the request may have been sent on a kept connection that was closed.
func (t *SigningTransport) attempt(request *http.Request, body []byte, stale *atomic.Bool) (*http.Response, error) {
	trace := &httptrace.ClientTrace{
		GotConn:              func(info httptrace.GotConnInfo) { stale.Store(info.Reused) },
		GotFirstResponseByte: func() { stale.Store(false) },
	}
	signed := request.Clone(httptrace.WithClientTrace(request.Context(), trace))
	if err := t.sign(signed, body); err != nil {
		return nil, err
	}
	// A body, even an empty one, without GetBody hides from http.Transport how to send a request again that may arrive
	// twice, because it would repeat the signature. The others it sends again only if nothing of them was written.
	signed.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(body)), nil }
	if body != nil || mayArriveTwice(signed) {
		signed.ContentLength = int64(len(body))
		signed.Body, _ = signed.GetBody()
	}
	if mayArriveTwice(signed) {
		signed.GetBody = nil
	}
	return t.options.Base.RoundTrip(signed)
}

// mayArriveTwice follows the rule of http.Transport.
func mayArriveTwice(request *http.Request) bool {
	switch request.Method {
	case "", http.MethodGet, http.MethodHead, http.MethodOptions:
		return true
	}
	return hasIdempotencyKey(request)
}

func hasIdempotencyKey(request *http.Request) bool {
	_, ok := request.Header["Idempotency-Key"]
	_, older := request.Header["X-Idempotency-Key"]
	return ok || older
}
