package latchkey

import (
	"context"
	"errors"
	"net/http"
	"net/netip"
	"net/url"
	"regexp"
	"strings"
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
