// Package latchkey verifies API keys of Latchkey in Go services, and signs the requests of Go clients.
//
//   - [Verifier] asks the verification port for the verdict on a key.
//   - [RequireAPIKey] and [RequireScopes] are net/http middleware.
//   - [NewSigningClient] and [SigningTransport] sign requests with a key (RFC 9421).
//
// Everything fails closed: a request passes only after a well-formed answer that says that its key is valid. Nothing is
// cached, so a revoked key is rejected from the next request on. No error contains a key, a token or a signing secret.
package latchkey

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"time"
)

// VerifierOptions configure NewVerifier.
type VerifierOptions struct {
	// URL of the verification port, including the path of a proxy, if any. Default: http://127.0.0.1:4001.
	URL string
	// Token is one of the service's VERIFIER_TOKENS.
	Token string
	// Timeout of a whole call. Default: 1 second. The deadline of the context counts too.
	Timeout time.Duration
	// Transport sends the calls, for example with certificates of your own. Default: kept connections, at most 64.
	Transport http.RoundTripper
}

// Verifier is a client of the verification port. Concurrent use is safe. Use one for the whole process.
type Verifier struct {
	base          *url.URL
	origin, token string
	timeout       time.Duration
	client        http.Client
}

// NewVerifier returns an error for invalid options, without the token.
func NewVerifier(options VerifierOptions) (*Verifier, error) {
	if options.URL == "" {
		options.URL = "http://127.0.0.1:4001"
	}
	base, err := url.Parse(options.URL)
	switch {
	case err != nil || (base.Scheme != "http" && base.Scheme != "https") || base.Host == "" || base.User != nil:
		return nil, errors.New("latchkey: URL must be an http or https one without user name and password")
	case options.Token != "" && !visible.MatchString(options.Token):
		return nil, errors.New("latchkey: Token must be visible ASCII characters")
	case options.Timeout < 0:
		return nil, errors.New("latchkey: Timeout must be positive")
	}
	if options.Timeout == 0 {
		options.Timeout = time.Second
	}
	if options.Transport == nil {
		// It uses no proxy, because a proxy from the environment would see all keys.
		options.Transport = &http.Transport{
			MaxConnsPerHost:     64,
			MaxIdleConnsPerHost: 64,
			// Shorter than the 5 idle seconds after which Node's servers close a connection, so that retries are rare.
			IdleConnTimeout:        4 * time.Second,
			DisableCompression:     true,
			MaxResponseHeaderBytes: maxAnswerBytes,
		}
	}
	base.RawQuery, base.Fragment = "", ""
	return &Verifier{
		base:    base,
		origin:  base.Scheme + "://" + base.Host,
		token:   options.Token,
		timeout: options.Timeout,
		// The target of a redirect must not get the key.
		client: http.Client{Transport: options.Transport, CheckRedirect: returnRedirect},
	}, nil
}

var visible = regexp.MustCompile(`^[\x21-\x7e]+$`)

func returnRedirect(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }

// Format omits the token from logs.
func (v *Verifier) Format(state fmt.State, _ rune) { io.WriteString(state, "latchkey.Verifier") }

// Close closes idle connections.
func (v *Verifier) Close() { v.client.CloseIdleConnections() }

// Verification is the question whether a key is valid.
type Verification struct {
	// Key is the full key, as the caller presented it.
	Key string `json:"key"`
	// Env is the required environment, "live" or "test". If empty, both are accepted.
	Env string `json:"env,omitempty"`
	// SourceIP is the IP address of the caller. Keys with an allow-list are rejected without it.
	SourceIP string `json:"sourceIp,omitempty"`
	// Scopes are those that the request needs, all of them.
	Scopes []string `json:"scopes,omitempty"`
	// Request is for keys whose requests must be signed.
	Request *ReceivedRequest `json:"request,omitempty"`
}

// Format omits the key from logs.
func (Verification) Format(state fmt.State, _ rune) { io.WriteString(state, "latchkey.Verification") }

// ReceivedRequest is a request as the service received it.
type ReceivedRequest struct {
	Method string `json:"method"`
	// URL is the URL that the caller requested: absolute, or only path and query, which the Host header completes.
	URL string `json:"url"`
	// Headers has content-digest, content-length, host, signature, signature-input and transfer-encoding, as far as
	// they were sent. Other names are ignored.
	Headers map[string]string `json:"headers"`
	// BodyDigest is the digest of the bytes that arrived, as a Content-Digest value (RFC 9530).
	BodyDigest string `json:"bodyDigest,omitempty"`
}

func (r *ReceivedRequest) isSigned() bool {
	return r != nil && (r.Headers["signature"] != "" || r.Headers["signature-input"] != "")
}

// Verify returns the verdict on a presented key. Valid is true only in a well-formed answer that says so.
//
// The error is an [*UnavailableError] if no well-formed answer arrived in time, and a [*RejectedError] if the call
// itself was rejected. A verification is sent again on another connection if a kept connection is closed before any
// byte of the answer. A signed request is not, once it may have arrived: if the verifier has recorded its nonce, the
// answer to the second call would be SIGNATURE_REPLAYED.
func (v *Verifier) Verify(ctx context.Context, verification Verification) (Verdict, error) {
	header, body, err := v.call(ctx, verifying, verification, verification)
	if err != nil {
		return Verdict{}, err
	}
	return v.readVerdict(header, body, verification)
}

// VerifyAll returns the verdicts on 1 to 100 presented keys, in the same order, from one call. If any key gets no
// verdict, it returns an error as Verify does.
func (v *Verifier) VerifyAll(ctx context.Context, verifications []Verification) ([]Verdict, error) {
	_, body, err := v.call(ctx, verifying, verifications, verifications...)
	if err != nil {
		return nil, err
	}
	var list []json.RawMessage
	if json.Unmarshal(body, &list) != nil || len(list) != len(verifications) {
		return nil, v.unavailable("its answer is not one verdict for each verification")
	}
	verdicts := make([]Verdict, len(list))
	for i, one := range list {
		if verdicts[i], err = v.readVerdict(nil, one, verifications[i]); err != nil {
			return nil, err
		}
	}
	return verdicts, nil
}

// readVerdict fails closed: anything but a well-formed verdict that meets the requirements of the call is an error.
func (v *Verifier) readVerdict(header http.Header, text []byte, required Verification) (Verdict, error) {
	verdict, ok := parseVerdict(text)
	if !ok {
		return Verdict{}, v.unavailable("its answer is not a verdict")
	}
	otherEnv := required.Env != "" && required.Env != verdict.Key.Env
	if verdict.Valid && (otherEnv || !verdict.Key.HasScopes(required.Scopes...)) {
		return Verdict{}, v.unavailable("its answer is for another environment or other scopes")
	}
	verdict.Key.RateLimit = parseRateLimit(header)
	return verdict, nil
}

// endpoint is a path of the verification port, with the status of a success and those of a rejected call.
type endpoint struct {
	path     string
	success  int
	rejected []int
}

var verifying = endpoint{"v1/verify", http.StatusOK, []int{400, 401, 413}}

// call posts the content and returns the answer if it is a success. Everything else is an error.
func (v *Verifier) call(ctx context.Context, to endpoint, content any, about ...Verification) (http.Header, []byte, error) {
	ctx, cancel := context.WithTimeout(ctx, v.timeout)
	defer cancel()
	response, body, err := v.post(ctx, to.path, content, about)
	if err != nil {
		ended := ctx.Err()
		if ended != nil {
			err = ended
		}
		unavailable := v.unavailable(reasonOf(err))
		unavailable.cause = ended
		return nil, nil, unavailable
	}
	if response.StatusCode != to.success {
		return nil, nil, v.errorOf(response, to, explanation(body, v.token, about))
	}
	return response.Header, body, nil
}

// maxAnswerBytes is the limit for one verdict, which has about 400 bytes, and at most 12,000 with many scopes and long
// metadata.
const maxAnswerBytes = 16 * 1024

func (v *Verifier) post(ctx context.Context, path string, content any, about []Verification) (*http.Response, []byte, error) {
	question, err := json.Marshal(content)
	if err != nil {
		return nil, nil, err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, v.base.JoinPath(path).String(), bytes.NewReader(question))
	if err != nil {
		return nil, nil, err
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Accept", "application/json")
	if v.token != "" {
		request.Header.Set("Authorization", "Bearer "+v.token)
	}
	// Not sent. Tells http.Transport that the request may arrive twice, after a kept connection was closed.
	request.Header["Idempotency-Key"] = nil
	for _, one := range about {
		if one.Request.isSigned() {
			delete(request.Header, "Idempotency-Key")
		}
	}
	response, err := v.client.Do(request)
	if err != nil {
		return nil, nil, err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(http.MaxBytesReader(nil, response.Body, int64(maxAnswerBytes*len(about))))
	return response, body, err
}

// joined returns all lines of a header as one value (RFC 9110, section 5.3).
func joined(header http.Header, name string) string { return strings.Join(header.Values(name), ", ") }
