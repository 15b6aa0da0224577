package latchkey

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log"
	"net/http"
	"net/netip"
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
	// OnError is called for each request that gets 503, with an error that contains no secret. Default: logs at most one
	// error per minute.
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
				passed.guard.rejectScopes(w, scopes)
			default:
				next.ServeHTTP(w, r)
			}
		})
	}
}

type contextKey struct{}

// authenticated is what RequireAPIKey puts into the context.
type authenticated struct {
	key   Key
	guard *guard
}

// KeyFrom returns the key of a request that passed RequireAPIKey. Without one, ok is false.
func KeyFrom(ctx context.Context) (key Key, ok bool) {
	passed, ok := ctx.Value(contextKey{}).(authenticated)
	return passed.key, ok
}

// guard is the middleware with checked options.
type guard struct {
	Options
	locations []location
	// challenge is the WWW-Authenticate of a 401, and instruction tells how to send a key.
	challenge, instruction string
}

func newGuard(options Options) (*guard, error) {
	if len(options.KeyLocations) == 0 {
		options.KeyLocations = []string{"authorization"}
	}
	locations, err := parseLocations(options.KeyLocations)
	switch {
	case err != nil:
		return nil, err
	case options.Verifier == nil:
		return nil, errors.New("latchkey: Verifier is required")
	case options.Env != "" && options.Env != "live" && options.Env != "test":
		return nil, errors.New("latchkey: Env must be live or test")
	case !areScopes(options.Scopes):
		return nil, errors.New("latchkey: Scopes must be at most 50 scope tokens")
	case options.Origin != "" && !originShape.MatchString(options.Origin):
		return nil, errors.New("latchkey: Origin must be a scheme and a host, such as https://api.example.com")
	case options.BodyLimit < 0:
		return nil, errors.New("latchkey: BodyLimit must be a number of bytes")
	}
	if options.BodyLimit == 0 {
		options.BodyLimit = 1 << 20
	}
	if options.OnError == nil {
		options.OnError = logOncePerMinute()
	}
	var challenges, instructions []string
	for _, location := range locations {
		challenges = append(challenges, location.challenge)
		instructions = append(instructions, location.instruction)
	}
	return &guard{options, locations, strings.Join(challenges, ", "), strings.Join(instructions, " or ")}, nil
}

var (
	originShape = regexp.MustCompile(`^https?://(?:\[[0-9A-Fa-f:.]+\]|[0-9A-Za-z._~-]+)(?::[0-9]{1,5})?$`)
	scopeToken  = regexp.MustCompile(`^[\x21\x23-\x5b\x5d-\x7e]{1,100}$`)
)

func areScopes(scopes []string) bool {
	for _, scope := range scopes {
		if !scopeToken.MatchString(scope) {
			return false
		}
	}
	return len(scopes) <= 50
}

// logOncePerMinute returns the default of OnError. During an outage, the log must not grow with the load.
func logOncePerMinute() func(*http.Request, error) {
	var mutex sync.Mutex
	var next time.Time
	return func(_ *http.Request, err error) {
		mutex.Lock()
		defer mutex.Unlock()
		if now := time.Now(); !now.Before(next) {
			next = now.Add(time.Minute)
			log.Printf("latchkey: a request got 503, because its key could not be verified: %v", err)
		}
	}
}

func (g *guard) serve(w http.ResponseWriter, r *http.Request, next http.Handler) {
	key, code, problem := g.presentedKey(r.Header)
	if key == "" {
		g.reject(w, code, problem)
		return
	}
	signed, err := g.readSigned(w, r)
	switch {
	case is[*http.MaxBytesError](err):
		g.reject(w, payloadTooLarge, "")
		return
	case err != nil:
		// The body is cut off or malformed, so usually no client reads this.
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	source := sourceOf(r, g.TrustedProxies)
	verdict, err := g.Verifier.Verify(r.Context(), Verification{key, g.Env, source, g.Scopes, signed})
	switch {
	case err != nil:
		// A client that is gone is not an error of the verifier.
		if r.Context().Err() == nil {
			g.OnError(r, err)
		}
		g.rejectUnavailable(w, err)
	case !verdict.Valid:
		g.rejectVerdict(w, verdict, source)
	default:
		verdict.Key.RateLimit.setHeader(w.Header())
		passed := authenticated{verdict.Key, g}
		next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), contextKey{}, passed)))
	}
}

// readSigned returns the request if it is signed, or nil. It replaces the body with the bytes that it read.
func (g *guard) readSigned(w http.ResponseWriter, r *http.Request) (*ReceivedRequest, error) {
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
		return nil, nil
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, g.BodyLimit))
	if err != nil {
		return nil, err
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	origin := g.Origin
	if origin == "" {
		origin = "http://" + r.Host
		if r.TLS != nil {
			origin = "https://" + r.Host
		}
	}
	received.URL = origin + absoluteForm.ReplaceAllString(r.RequestURI, "")
	received.BodyDigest = strings.Join(digestsOf(body), ", ")
	return received, nil
}

// absoluteForm matches what an absolute request target has before the path (RFC 9112, section 3.2.2). It has the same
// authority as Host, because net/http takes Host from it.
var absoluteForm = regexp.MustCompile(`(?i)^https?://[^/?]*`)
