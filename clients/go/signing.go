package latchkey

import (
	"bytes"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
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
// may arrive twice (GET, HEAD, OPTIONS, TRACE, or with Idempotency-Key) is signed anew and sent once more.
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

// replayable closes the body of a request. It returns a function that opens the body again, or nil without a body.
func replayable(request *http.Request) (func() (io.ReadCloser, error), error) {
	if request.Body == nil || request.Body == http.NoBody {
		return nil, nil
	}
	defer request.Body.Close()
	if request.GetBody != nil {
		return request.GetBody, nil
	}
	content, err := io.ReadAll(request.Body)
	return func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(content)), nil }, err
}

// attempt sets stale if the request may have been sent on a kept connection that was closed.
func (t *SigningTransport) attempt(request *http.Request, getBody func() (io.ReadCloser, error), stale *atomic.Bool) (*http.Response, error) {
	trace := &httptrace.ClientTrace{
		GotConn:              func(info httptrace.GotConnInfo) { stale.Store(info.Reused) },
		GotFirstResponseByte: func() { stale.Store(false) },
	}
	signed := request.Clone(httptrace.WithClientTrace(request.Context(), trace))
	length, err := t.sign(signed, getBody)
	if err != nil {
		return nil, err
	}
	signed.GetBody = getBody
	if getBody != nil {
		signed.ContentLength = length
		if signed.Body, err = getBody(); err != nil {
			return nil, err
		}
	}
	// Hides from http.Transport how to send such a request again, because it would repeat the signature. The others it
	// sends again only if nothing of them was written.
	if mayArriveTwice(signed) {
		signed.GetBody = nil
		if getBody == nil {
			// Empty, but not http.NoBody. http.Transport finds out that it is empty, and sends no body.
			signed.Body = io.NopCloser(strings.NewReader(""))
		}
	}
	return t.options.Base.RoundTrip(signed)
}

// mayArriveTwice follows the rule of http.Transport.
func mayArriveTwice(request *http.Request) bool {
	switch request.Method {
	case "", http.MethodGet, http.MethodHead, http.MethodOptions, http.MethodTrace:
		return true
	}
	_, ok := request.Header["Idempotency-Key"]
	_, older := request.Header["X-Idempotency-Key"]
	return ok || older
}

// sign adds the key and the signature to the header. It returns the length of the body.
func (t *SigningTransport) sign(request *http.Request, getBody func() (io.ReadCloser, error)) (length int64, err error) {
	if request.Header == nil {
		request.Header = http.Header{}
	}
	base, components, err := targetOf(request)
	if err != nil {
		return 0, err
	}
	digest, length, err := contentDigest(request.Header, getBody)
	if err != nil {
		return 0, err
	}
	if digest != "" {
		request.Header.Set("Content-Digest", digest)
		base += "\"content-digest\": " + digest + "\n"
		components += ` "content-digest"`
	}
	nonce, err := t.nonce()
	if err != nil {
		return 0, err
	}
	created := t.options.Now().Unix()
	if created < 0 {
		return 0, errors.New("latchkey: Now must return a time after 1970")
	}
	parameters := fmt.Sprintf(`(%s);created=%d;expires=%d;nonce="%s";keyid="%s";alg="hmac-sha256";tag="latchkey-v1"`,
		components, created, created+t.lifetimeSeconds, nonce, t.options.KeyID)
	mac := hmac.New(sha256.New, t.secret)
	mac.Write([]byte(base + "\"@signature-params\": " + parameters))
	request.Header.Set("Authorization", "Bearer "+t.options.APIKey)
	request.Header.Set("Signature-Input", "sig1="+parameters)
	request.Header.Set("Signature", "sig1=:"+base64.StdEncoding.EncodeToString(mac.Sum(nil))+":")
	return length, nil
}

func randomNonce() (string, error) {
	nonce := make([]byte, 16)
	_, err := rand.Read(nonce)
	return base64.RawURLEncoding.EncodeToString(nonce), err
}

// targetOf returns the start of the signature base (docs/signing.md) and its components: what http.Transport will send.
func targetOf(request *http.Request) (base, components string, err error) {
	method, host := request.Method, request.Host
	if method == "" {
		method = http.MethodGet
	}
	if host == "" {
		host = request.URL.Host
	}
	// In lower case and without the scheme's default port (RFC 9421, section 2.2.3).
	defaultPort := map[string]string{"http": ":80", "https": ":443"}[request.URL.Scheme]
	host = strings.TrimSuffix(strings.TrimSuffix(strings.ToLower(host), defaultPort), ":")
	uri := request.URL.RequestURI()
	switch {
	case request.Response != nil:
		return "", "", errors.New("latchkey: a signed request does not follow redirects: use NewSigningClient")
	case request.URL.User != nil:
		return "", "", errors.New("latchkey: the URL must have no user name and no password")
	case request.Header.Get("Signature") != "" || request.Header.Get("Signature-Input") != "":
		return "", "", errors.New("latchkey: the request must have no signature: a request has only one")
	case defaultPort == "" || !token.MatchString(method) || !authority.MatchString(host) || !originForm.MatchString(uri):
		return "", "", errors.New("latchkey: the request must have a method and an absolute http or https URL in ASCII")
	}
	path, query, _ := strings.Cut(uri, "?")
	base = fmt.Sprintf("\"@method\": %s\n\"@authority\": %s\n\"@path\": %s\n\"@query\": ?%s\n", method, host, path, query)
	return base, `"@method" "@authority" "@path" "@query"`, nil
}

// contentDigest returns the Content-Digest to sign: that of the header, which must match the body, or a new one. It is
// empty without a body.
func contentDigest(header http.Header, getBody func() (io.ReadCloser, error)) (digest string, length int64, err error) {
	body := io.NopCloser(strings.NewReader(""))
	if getBody != nil {
		if body, err = getBody(); err != nil {
			return "", 0, err
		}
	}
	defer body.Close()
	digests, length, err := digestsOf(body)
	if err != nil {
		return "", 0, err
	}
	if digest = strings.Join(header.Values("Content-Digest"), ", "); digest != "" {
		if !agrees(digest, digests) {
			return "", 0, errors.New("latchkey: Content-Digest must have the sha-256 or sha-512 of the body")
		}
	} else if getBody != nil {
		digest = digests[0]
	}
	return digest, length, nil
}

// agrees returns whether a Content-Digest has at least one of these digests, and no other with their algorithms.
func agrees(field string, digests []string) bool {
	known := false
	for _, member := range strings.Split(field, ",") {
		member = strings.Trim(member, " \t")
		for _, digest := range digests {
			if algorithm, _, _ := strings.Cut(digest, "="); strings.HasPrefix(member, algorithm) {
				if member != digest {
					return false
				}
				known = true
			}
		}
	}
	return known
}

// digestsOf returns the members of a Content-Digest value (RFC 9530) with sha-256 and sha-512, and the length.
func digestsOf(body io.Reader) (digests []string, length int64, err error) {
	short, long := sha256.New(), sha512.New()
	length, err = io.Copy(io.MultiWriter(short, long), body)
	encode := base64.StdEncoding.EncodeToString
	return []string{"sha-256=:" + encode(short.Sum(nil)) + ":", "sha-512=:" + encode(long.Sum(nil)) + ":"}, length, err
}
