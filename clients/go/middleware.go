package latchkey

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/netip"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"time"
)

// Options configure RequireAPIKey. Only Verifier is required.
type Options struct {
	// Verifier is usually a [*Verifier].
	Verifier interface {
		Verify(context.Context, Verification) (Verdict, error)
	}
	// Env, "live" or "test", rejects keys of the other environment. If empty, both are accepted.
	Env string
	// Scopes are those that all requests need. For single routes, use RequireScopes.
	Scopes []string
	// KeyLocations are the places of the key, as in Latchkey's KEY_LOCATIONS: "authorization" (Bearer), "header:x-api-key"
	// with any name, "basic", "basic:username" or "basic:password". Default: only "authorization".
	KeyLocations []string
	// TrustedProxies are the networks of your proxies. Behind them, the caller is the last address in X-Forwarded-For
	// that is not one of them. Default: none, so that the caller is the peer of the connection.
	TrustedProxies []netip.Prefix
	// Origin is the scheme and host that callers use, such as https://api.example.com. Default: those of the request.
	// Set it if a proxy changes Host or ends TLS, or if several services share one Latchkey: a request that was signed
	// for one service is then never valid at another.
	Origin string
	// BodyLimit is the maximum size in bytes of the body of a signed request. Other bodies are not read. Default: 1 MiB.
	BodyLimit int64
	// ErrorsURL is the page that explains every code, such as https://keys.example.com/errors. Then the type of a
	// problem document links to it. Default: urn:latchkey:problem:<code>.
	ErrorsURL string
	// OnError is called for each request that gets 503, with an error that contains no secret. Default: logs the first
	// error, and later ones at most once per minute.
	OnError func(*http.Request, error)
}

// Middleware wraps a handler.
type Middleware func(http.Handler) http.Handler

// RequireAPIKey returns middleware that lets only requests with a valid API key pass. [KeyFrom] returns the key. Other
// requests get a problem document (RFC 9457) that contains only the code, with status 400, 401, 403, 413, 429, or 503
// if there is no verdict.
//
// The body of a signed request is read, and its digest is verified too; the handler reads the same bytes. If the key has
// a rate limit, the response has RateLimit fields. Use it once per request: a signature is valid for one verification.
// The error is about invalid options.
func RequireAPIKey(options Options) (Middleware, error) {
	guard, err := newGuard(options)
	if err != nil {
		return nil, err
	}
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { guard.serve(w, r, next) })
	}, nil
}

// RequireScopes returns middleware for routes behind RequireAPIKey. Keys that lack one of these scopes get 403
// INSUFFICIENT_SCOPE. It verifies nothing, so that a signature is not used twice. It panics for invalid scopes, and its
// handler panics if there is no key.
func RequireScopes(scopes ...string) Middleware {
	if len(scopes) == 0 || !areScopes(scopes) {
		panic("latchkey: RequireScopes needs 1 to 50 scope tokens")
	}
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			passed, ok := r.Context().Value(contextKey{}).(authenticated)
			switch {
			case !ok:
				panic("latchkey: RequireScopes needs RequireAPIKey before it")
			case !passed.key.HasScopes(scopes...):
				passed.rejecter.rejectScopes(w, scopes)
			default:
				next.ServeHTTP(w, r)
			}
		})
	}
}

type contextKey struct{}

// authenticated is what RequireAPIKey puts into the context.
type authenticated struct {
	key      Key
	rejecter rejecter
}

// KeyFrom returns the key of a request that passed RequireAPIKey. Without one, ok is false.
func KeyFrom(ctx context.Context) (key Key, ok bool) {
	passed, ok := ctx.Value(contextKey{}).(authenticated)
	return passed.key, ok
}

// guard is the middleware with checked options.
type guard struct {
	Options
	locations   []location
	instruction string
	rejecter    rejecter
}

var scopeToken = regexp.MustCompile(`^[\x21\x23-\x5b\x5d-\x7e]{1,100}$`)

func areScopes(scopes []string) bool {
	for _, scope := range scopes {
		if !scopeToken.MatchString(scope) {
			return false
		}
	}
	return len(scopes) <= 50
}

func newGuard(options Options) (*guard, error) {
	if len(options.KeyLocations) == 0 {
		options.KeyLocations = []string{"authorization"}
	}
	locations, err := parseLocations(strings.Join(options.KeyLocations, ","))
	if err != nil {
		return nil, err
	}
	origin, err := url.Parse(options.Origin)
	isOrigin := err == nil && (origin.Scheme == "http" || origin.Scheme == "https") && origin.Host != "" && origin.User == nil
	switch {
	case options.Verifier == nil:
		return nil, errors.New("latchkey: Verifier is required")
	case options.Env != "" && options.Env != "live" && options.Env != "test":
		return nil, errors.New("latchkey: Env must be live or test")
	case !areScopes(options.Scopes):
		return nil, errors.New("latchkey: Scopes must be at most 50 scope tokens")
	case options.Origin != "" && (!isOrigin || options.Origin != origin.Scheme+"://"+origin.Host):
		return nil, errors.New("latchkey: Origin must be a scheme and a host, such as https://api.example.com")
	case options.BodyLimit < 0:
		return nil, errors.New("latchkey: BodyLimit must be a number of bytes")
	}
	if options.BodyLimit == 0 {
		options.BodyLimit = 1 << 20
	}
	if options.OnError == nil {
		options.OnError = new(errorLog).write
	}
	var challenges, instructions []string
	for _, location := range locations {
		challenges = append(challenges, location.challenge)
		instructions = append(instructions, location.instruction)
	}
	rejecter := rejecter{options.ErrorsURL, strings.Join(challenges, ", "), challenges[0]}
	return &guard{options, locations, strings.Join(instructions, " or "), rejecter}, nil
}

func (g *guard) serve(w http.ResponseWriter, r *http.Request, next http.Handler) {
	if problem := headerProblem(r.Header, g.locations); problem != "" {
		g.rejecter.reject(w, badUserInput, problem)
		return
	}
	key, problem := findKey(r.Header, g.locations)
	if key == "" {
		if problem == "" {
			problem = "Send it as " + g.instruction + "."
		}
		g.rejecter.reject(w, unauthenticated, problem)
		return
	}
	signed, ok := g.readSigned(w, r)
	if !ok {
		return
	}
	source := sourceOf(r, g.TrustedProxies)
	verdict, err := g.Verifier.Verify(r.Context(), Verification{key, g.Env, source, g.Scopes, signed})
	if err != nil {
		g.serveUnavailable(w, r, err)
		return
	}
	if !verdict.Valid {
		g.serveRejected(w, verdict, source)
		return
	}
	verdict.Key.RateLimit.setHeader(w.Header())
	passed := authenticated{verdict.Key, g.rejecter}
	next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), contextKey{}, passed)))
}

func (g *guard) serveUnavailable(w http.ResponseWriter, r *http.Request, err error) {
	// A client that is gone is not an error of the verifier.
	if r.Context().Err() == nil {
		g.OnError(r, err)
	}
	var noAnswer *UnavailableError
	var retryAfter time.Duration
	if errors.As(err, &noAnswer) {
		retryAfter = noAnswer.RetryAfter
	}
	g.rejecter.rejectUnavailable(w, retryAfter)
}

func (g *guard) serveRejected(w http.ResponseWriter, verdict Verdict, source string) {
	switch {
	case verdict.Code == InsufficientScope:
		g.rejecter.rejectScopes(w, g.Scopes)
	case verdict.Code == RateLimited:
		g.rejecter.rejectRateLimited(w, verdict.Key.RateLimit)
	case verdict.Code == SourceNotAllowed && source == "":
		g.rejecter.reject(w, verdict.Code, sourceMissing)
	default:
		g.rejecter.reject(w, verdict.Code, "")
	}
}

// sourceMissing tells developers not to search for the error in the allow-list.
const sourceMissing = "The API key has an allow-list, and the source of the request is not known."

// readSigned returns the request if it is signed, and replaces its body with the bytes that it read. If it has answered
// the request, ok is false.
func (g *guard) readSigned(w http.ResponseWriter, r *http.Request) (signed *ReceivedRequest, ok bool) {
	received := &ReceivedRequest{Method: r.Method, Headers: map[string]string{"host": r.Host}}
	for _, name := range []string{"Content-Digest", "Content-Length", "Signature", "Signature-Input"} {
		if lines := r.Header.Values(name); len(lines) > 0 {
			received.Headers[strings.ToLower(name)] = strings.Join(lines, ", ")
		}
	}
	if len(r.TransferEncoding) > 0 {
		received.Headers["transfer-encoding"] = strings.Join(r.TransferEncoding, ", ")
	}
	if !received.isSigned() {
		return nil, true
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, g.BodyLimit))
	var tooLarge *http.MaxBytesError
	if errors.As(err, &tooLarge) {
		g.rejecter.reject(w, payloadTooLarge, "")
		return nil, false
	}
	if err != nil {
		// The body is cut off or malformed, so usually no client reads this.
		w.WriteHeader(http.StatusBadRequest)
		return nil, false
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	received.URL = g.originOf(r) + absoluteForm.ReplaceAllString(r.RequestURI, "")
	digests, _, _ := digestsOf(bytes.NewReader(body))
	received.BodyDigest = strings.Join(digests, ", ")
	return received, true
}

// absoluteForm matches what an absolute request target has before the path (RFC 9112, section 3.2.2). It has the same
// authority as Host, because net/http takes Host from it.
var absoluteForm = regexp.MustCompile(`(?i)^https?://[^/?]*`)

func (g *guard) originOf(r *http.Request) string {
	switch {
	case g.Origin != "":
		return g.Origin
	case r.TLS != nil:
		return "https://" + r.Host
	}
	return "http://" + r.Host
}

// errorLog logs the first error, and then at most one per minute. During an outage, the log must not grow with the load.
type errorLog struct {
	mutex     sync.Mutex
	last      time.Time
	unwritten int
}

func (l *errorLog) write(_ *http.Request, err error) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	if !l.last.IsZero() && time.Since(l.last) < time.Minute {
		l.unwritten++
		return
	}
	others := ""
	if l.unwritten > 0 {
		others = fmt.Sprintf(" (and %d others since the last message)", l.unwritten)
	}
	log.Printf("latchkey: a request got 503%s, because its key could not be verified: %v", others, err)
	l.last, l.unwritten = time.Now(), 0
}
