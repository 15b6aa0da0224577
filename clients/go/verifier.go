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
	"sort"
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
	url, origin, token string
	timeout            time.Duration
	client             http.Client
}

// NewVerifier returns an error for invalid options, without the token.
func NewVerifier(options VerifierOptions) (*Verifier, error) {
	if options.URL == "" {
		options.URL = "http://127.0.0.1:4001"
	}
	base, err := url.Parse(options.URL)
	switch {
	case err != nil || (base.Scheme != "http" && base.Scheme != "https") || base.Host == "":
		return nil, errors.New("latchkey: URL must be an http or https one")
	case base.User != nil:
		return nil, errors.New("latchkey: URL must have no user name and no password")
	case options.Token != "" && !visible.MatchString(options.Token):
		return nil, errors.New("latchkey: Token must be visible ASCII characters")
	case options.Timeout < 0:
		return nil, errors.New("latchkey: Timeout must be positive")
	}
	if options.Timeout == 0 {
		options.Timeout = time.Second
	}
	if options.Transport == nil {
		options.Transport = defaultTransport()
	}
	base.RawQuery, base.Fragment = "", ""
	return &Verifier{
		url:     base.JoinPath("v1/verify").String(),
		origin:  base.Scheme + "://" + base.Host,
		token:   options.Token,
		timeout: options.Timeout,
		// The target of a redirect must not get the key.
		client: http.Client{Transport: options.Transport, CheckRedirect: returnRedirect},
	}, nil
}

var visible = regexp.MustCompile(`^[\x21-\x7e]+$`)

func returnRedirect(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }

// defaultTransport uses no proxy, because a proxy from the environment would see all keys.
func defaultTransport() *http.Transport {
	return &http.Transport{
		MaxConnsPerHost:     64,
		MaxIdleConnsPerHost: 64,
		// Shorter than the 5 idle seconds after which Node's servers close a connection, so that retries are rare.
		IdleConnTimeout:        4 * time.Second,
		DisableCompression:     true,
		MaxResponseHeaderBytes: maxAnswerBytes,
	}
}

// Format omits the token from logs.
func (v *Verifier) Format(state fmt.State, _ rune) { io.WriteString(state, "latchkey.Verifier") }

// Close closes idle connections.
func (v *Verifier) Close() { v.client.CloseIdleConnections() }

// Verify returns the verdict on a presented key. Valid is true only in a well-formed answer that says so.
//
// The error is an [*UnavailableError] if no well-formed answer arrived in time, and a [*RejectedError] if the call
// itself was rejected. A verification is sent again on another connection if a kept connection is closed before any
// byte of the answer. A signed request is not, once it may have arrived: if the verifier has recorded its nonce, the
// answer to the second call would be SIGNATURE_REPLAYED.
func (v *Verifier) Verify(ctx context.Context, verification Verification) (Verdict, error) {
	received, value, verifier, err := v.call(ctx, verification, []Verification{verification})
	if err != nil {
		return Verdict{}, err
	}
	verdict, err := readVerdict(value, verifier, verification)
	if err == nil {
		verdict.Key.RateLimit = parseRateLimit(received.policy, received.rateLimit)
	}
	return verdict, err
}

// VerifyAll returns the verdicts on 1 to 100 presented keys, in the same order, from one call. If any key gets no
// verdict, it returns an error as Verify does.
func (v *Verifier) VerifyAll(ctx context.Context, verifications []Verification) ([]Verdict, error) {
	_, value, verifier, err := v.call(ctx, verifications, verifications)
	if err != nil {
		return nil, err
	}
	list, _ := value.([]any)
	if len(list) != len(verifications) {
		return nil, unavailable(v.origin, "its answer is not one verdict for each verification")
	}
	verdicts := make([]Verdict, len(list))
	for i, one := range list {
		if verdicts[i], err = readVerdict(one, verifier, verifications[i]); err != nil {
			return nil, err
		}
	}
	return verdicts, nil
}

// call posts the content and returns the JSON of a 200.
func (v *Verifier) call(ctx context.Context, content any, about []Verification) (answer, any, called, error) {
	ctx, cancel := context.WithTimeout(ctx, v.timeout)
	defer cancel()
	secrets := []string{v.token}
	signed := false
	for _, one := range about {
		secrets = append(secrets, one.Key)
		signed = signed || one.Request.isSigned()
	}
	verifier := called{v.origin, hiding(secrets)}
	received, err := v.post(ctx, content, signed, int64(maxAnswerBytes*len(about)))
	if ended := ctx.Err(); err != nil && ended != nil {
		reason := "the call was canceled"
		if errors.Is(ended, context.DeadlineExceeded) {
			reason = "there was no answer in time"
		}
		err := unavailable(v.origin, reason)
		err.cause = ended
		return answer{}, nil, verifier, err
	}
	if err != nil {
		return answer{}, nil, verifier, unavailable(v.origin, reasonOf(err))
	}
	value, err := received.value(verifier)
	return received, value, verifier, err
}

func (v *Verifier) post(ctx context.Context, content any, signed bool, limit int64) (answer, error) {
	body, err := json.Marshal(content)
	if err != nil {
		return answer{}, err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, v.url, bytes.NewReader(body))
	if err != nil {
		return answer{}, err
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Accept", "application/json")
	if v.token != "" {
		request.Header.Set("Authorization", "Bearer "+v.token)
	}
	if !signed {
		// Not sent. Tells http.Transport that the request may arrive twice, after a kept connection was closed.
		request.Header["Idempotency-Key"] = nil
	}
	response, err := v.client.Do(request)
	if err != nil {
		return answer{}, err
	}
	defer response.Body.Close()
	received, err := io.ReadAll(io.LimitReader(response.Body, limit+1))
	if err != nil {
		return answer{}, err
	}
	if int64(len(received)) > limit {
		return answer{}, errTooLong
	}
	header := response.Header
	return answer{
		status:     response.StatusCode,
		retryAfter: header.Get("Retry-After"),
		policy:     strings.Join(header.Values("RateLimit-Policy"), ", "),
		rateLimit:  strings.Join(header.Values("RateLimit"), ", "),
		body:       received,
	}, nil
}

// hiding replaces secrets, the longest first, because one can be part of another.
func hiding(secrets []string) *strings.Replacer {
	sort.Slice(secrets, func(i, j int) bool { return len(secrets[i]) > len(secrets[j]) })
	var pairs []string
	for _, secret := range secrets {
		if secret != "" {
			pairs = append(pairs, secret, "[secret]")
		}
	}
	return strings.NewReplacer(pairs...)
}
