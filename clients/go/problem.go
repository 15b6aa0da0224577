package latchkey

import (
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// rejection is the answer to a client, without facts about the key.
type rejection struct {
	Status int    `json:"status"`
	Title  string `json:"title"`
	Detail string `json:"detail"`
}

// rejections has the answers to all verdicts but VALID. clients/conformance/verdicts.json has them too, for all languages.
var rejections = map[Code]rejection{
	Malformed:         {401, "The API key is malformed", "The text is not an API key: it may be cut off or mistyped."},
	NotFound:          {401, "The API key is not known", "There is no such API key."},
	Revoked:           {401, "The API key is revoked", "The API key was revoked."},
	Frozen:            {401, "The API key is frozen", "The API key is not accepted for now."},
	Rotated:           {401, "The API key was rotated", "The API key was replaced by a new one."},
	Disabled:          {401, "The API key is disabled", "The API key is disabled."},
	Expired:           {401, "The API key has expired", "The API key has expired."},
	WrongEnvironment:  {403, "The API key is for another environment", "Use a key of the environment called."},
	SourceNotAllowed:  {403, "The API key may not be used from here", "The source is not among the allowed ones."},
	InsufficientScope: {403, "The API key lacks a scope", "The API key does not have the scopes that this needs."},
	SignatureRequired: {401, "A signature is needed", "Requests with this API key must be signed."},
	SignatureInvalid:  {401, "The signature is not valid", "The signature does not belong to this request and API key."},
	SignatureExpired:  {401, "The signature has expired", "Sign the request again; check the clock."},
	SignatureReplayed: {401, "The signature was used before", "Sign every request anew, retries too."},
	RateLimited:       {429, "Too many requests", "The API key has reached its rate limit."},
}

// Codes of requests without a verdict.
const (
	badUserInput    Code = "BAD_USER_INPUT"
	unauthenticated Code = "UNAUTHENTICATED"
	payloadTooLarge Code = "PAYLOAD_TOO_LARGE"
	noVerdict       Code = "UNAVAILABLE"
)

var otherRejections = map[Code]rejection{
	badUserInput:    {400, "The request is not valid", "Host and Authorization must be given once."},
	unauthenticated: {401, "An API key is needed", ""},
	payloadTooLarge: {413, "The body is too large", "The body of a signed request is limited."},
	noVerdict:       {503, "API keys cannot be verified right now", "Try again a little later."},
}

// problem is a problem document (RFC 9457).
type problem struct {
	Type string `json:"type"`
	rejection
	Code     Code     `json:"code"`
	Violated []string `json:"violated-policies,omitempty"`
}

// reject sends the problem document of a code, with the detail in place of the usual one, unless it is empty.
func (g *guard) reject(w http.ResponseWriter, code Code, detail string) {
	rejection, ok := rejections[code]
	if !ok {
		rejection = otherRejections[code]
	}
	document := problem{"urn:latchkey:problem:" + string(code), rejection, code, nil}
	if g.ErrorsURL != "" {
		document.Type = g.ErrorsURL + "#" + string(code)
	}
	if code == RateLimited {
		// The registered problem type (draft-ietf-httpapi-ratelimit-headers-11, section 5.1).
		document.Type = "https://iana.org/assignments/http-problem-types#quota-exceeded"
		document.Violated = []string{"default"}
	}
	if detail != "" {
		document.Detail = detail
	}
	header := w.Header()
	header.Set("Content-Type", "application/problem+json")
	header.Set("Cache-Control", "no-store")
	if rejection.Status == http.StatusUnauthorized {
		header.Set("WWW-Authenticate", g.challenge)
	}
	w.WriteHeader(rejection.Status)
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	// An error means that the client is gone.
	_ = encoder.Encode(document)
}

// sourceMissing tells developers not to search for the error in the allow-list.
const sourceMissing = "The API key has an allow-list, and the source of the request is not known."

func (g *guard) rejectVerdict(w http.ResponseWriter, verdict Verdict, source string) {
	detail := ""
	switch limit := verdict.Key.RateLimit; {
	case verdict.Code == InsufficientScope:
		g.rejectScopes(w, g.Scopes)
		return
	case verdict.Code == SourceNotAllowed && source == "":
		detail = sourceMissing
	case verdict.Code == RateLimited && limit == nil:
		w.Header().Set("Retry-After", "1")
	case verdict.Code == RateLimited:
		limit.setHeader(w.Header())
		w.Header().Set("Retry-After", strconv.Itoa(limit.ResetSeconds))
	}
	g.reject(w, verdict.Code, detail)
}

// rejectScopes names the required scopes. RFC 6750, section 3.1, defines these parameters for Bearer.
func (g *guard) rejectScopes(w http.ResponseWriter, scopes []string) {
	challenge := g.locations[0].challenge
	if strings.Contains(challenge, " ") {
		challenge += ","
	}
	w.Header().Set("WWW-Authenticate", challenge+` error="insufficient_scope", scope="`+strings.Join(scopes, " ")+`"`)
	g.reject(w, InsufficientScope, "")
}

func (g *guard) rejectUnavailable(w http.ResponseWriter, err error) {
	wait := time.Second
	var unavailable *UnavailableError
	if errors.As(err, &unavailable) && unavailable.RetryAfter > wait {
		wait = unavailable.RetryAfter
	}
	w.Header().Set("Retry-After", strconv.Itoa(int(wait.Seconds())))
	g.reject(w, noVerdict, "")
}
