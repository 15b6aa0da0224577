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
// A body with GetBody, such as those of http.NewRequest, is read twice; another one is read into memory. Each attempt is
// signed anew, because a signature is accepted once. Redirects get an error, because the key must not reach other
// servers. Authorization is replaced.
type SigningTransport struct {
	options         SigningOptions
	secret          []byte
	nonce           func() (string, error)
	lifetimeSeconds int64
}

var (
	keyID      = regexp.MustCompile(`^[\x20\x21\x23-\x5b\x5d-\x7e]{1,256}$`)
	secretHex  = regexp.MustCompile(`^[0-9A-Fa-f]{64}$`)
	token      = regexp.MustCompile("^[!#$%&'*+\\-.^_`|~0-9A-Za-z]{1,64}$")
	authority  = regexp.MustCompile(`^(?:\[[0-9a-f:.]+\]|[a-z0-9._~!$&'()*+;=%-]+)(?::[0-9]{1,5})?$`)
	originForm = regexp.MustCompile(`^/[\x21\x22\x24-\x7e]*$`)
)

// NewSigningTransport returns an error for invalid options, without their values.
func NewSigningTransport(options SigningOptions) (*SigningTransport, error) {
	switch {
	case !visible.MatchString(options.APIKey):
		return nil, errors.New("latchkey: APIKey must be the secret of a key: visible ASCII characters")
	case !keyID.MatchString(options.KeyID) || strings.HasPrefix(options.APIKey, options.KeyID):
		return nil, errors.New("latchkey: KeyID must be the id of the key, not its secret or prefix")
	case !secretHex.MatchString(options.SigningSecret):
		return nil, errors.New("latchkey: SigningSecret must be 64 hexadecimal characters")
	}
	if options.Base == nil {
		options.Base = http.DefaultTransport
	}
	if options.Now == nil {
		options.Now = time.Now
	}
	secret, err := hex.DecodeString(options.SigningSecret)
	return &SigningTransport{options, secret, randomNonce, 60}, err
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

// RoundTrip signs and sends a request. If a kept connection was closed before any byte of the answer, a request that
// may arrive twice (GET, HEAD, OPTIONS, or with Idempotency-Key) is signed anew and sent once more.
func (t *SigningTransport) RoundTrip(request *http.Request) (*http.Response, error) {
	getBody, err := replayable(request)
	if err != nil {
		return nil, err
	}
	var stale atomic.Bool
	response, err := t.attempt(request, getBody, &stale)
	if err != nil && stale.Load() && mayArriveTwice(request) && !os.IsTimeout(err) && request.Context().Err() == nil {
		response, err = t.attempt(request, getBody, &stale)
	}
	return response, err
}

// CloseIdleConnections closes those of the base transport, for http.Client.CloseIdleConnections.
func (t *SigningTransport) CloseIdleConnections() {
	if base, ok := t.options.Base.(interface{ CloseIdleConnections() }); ok {
		base.CloseIdleConnections()
	}
}

// bodyFunc returns a body from its start.
type bodyFunc = func() (io.ReadCloser, error)

func bodyOf(content []byte) bodyFunc {
	return func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(content)), nil }
}

// replayable closes the body of a request. It returns a function that opens the body again, or nil without a body.
func replayable(request *http.Request) (bodyFunc, error) {
	if request.Body == nil || request.Body == http.NoBody {
		if hasIdempotencyKey(request) {
			// Signed with the digest of no bytes, because setBody makes it a body that http.Transport sends in chunks.
			return bodyOf(nil), nil
		}
		return nil, nil
	}
	defer request.Body.Close()
	if request.GetBody != nil {
		return request.GetBody, nil
	}
	content, err := io.ReadAll(request.Body)
	return bodyOf(content), err
}

// attempt sets stale if the request may have been sent on a kept connection that was closed.
func (t *SigningTransport) attempt(request *http.Request, getBody bodyFunc, stale *atomic.Bool) (*http.Response, error) {
	trace := &httptrace.ClientTrace{
		GotConn:              func(info httptrace.GotConnInfo) { stale.Store(info.Reused) },
		GotFirstResponseByte: func() { stale.Store(false) },
	}
	signed := request.Clone(httptrace.WithClientTrace(request.Context(), trace))
	length, err := t.sign(signed, getBody)
	if err != nil {
		return nil, err
	}
	if err := setBody(signed, getBody, length); err != nil {
		return nil, err
	}
	return t.options.Base.RoundTrip(signed)
}

// setBody hides from http.Transport how to send a request again that may arrive twice, because it would repeat the
// signature. The others it sends again only if nothing of them was written.
func setBody(signed *http.Request, getBody bodyFunc, length int64) (err error) {
	signed.GetBody = getBody
	if mayArriveTwice(signed) {
		signed.GetBody = nil
	}
	if getBody == nil {
		if mayArriveTwice(signed) {
			// Empty, but not http.NoBody: http.Transport finds out that it is empty, and sends no body with these methods.
			signed.Body = io.NopCloser(strings.NewReader(""))
		}
		return nil
	}
	signed.ContentLength = length
	signed.Body, err = getBody()
	return err
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
