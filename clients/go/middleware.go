package latchkey

import (
	"context"
	"errors"
	"net/http"
	"time"
)

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
