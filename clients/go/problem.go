package latchkey

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// rejection is the answer to a client, without facts about the key.
type rejection struct {
	status        int
	title, detail string
}

// rejections has the answers to all verdicts but VALID. conformance/verdicts.json has them too, for all languages.
var rejections = map[Code]rejection{
	Malformed:         {401, "The API key is malformed", "The text is not an API key: it may be cut off or mistyped."},
	NotFound:          {401, "The API key is not known", "There is no such API key."},
	Revoked:           {401, "The API key is revoked", "The API key was revoked."},
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
	Type     string   `json:"type"`
	Title    string   `json:"title"`
	Status   int      `json:"status"`
	Detail   string   `json:"detail"`
	Code     Code     `json:"code"`
	Violated []string `json:"violated-policies,omitempty"`
}

// rejecter answers rejected requests.
type rejecter struct {
	errorsURL string
	// challenge is the WWW-Authenticate of a 401, and first is its part for the first place of keys.
	challenge, first string
}

// reject sends the problem document of a code, with the detail in place of the usual one, unless it is empty.
func (r rejecter) reject(w http.ResponseWriter, code Code, detail string) {
	rejection, ok := rejections[code]
	if !ok {
		rejection = otherRejections[code]
	}
	document := problem{"urn:latchkey:problem:" + string(code), rejection.title, rejection.status, rejection.detail, code, nil}
	if r.errorsURL != "" {
		document.Type = r.errorsURL + "#" + string(code)
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
	if rejection.status == http.StatusUnauthorized {
		header.Set("WWW-Authenticate", r.challenge)
	}
	var body bytes.Buffer
	encoder := json.NewEncoder(&body)
	encoder.SetEscapeHTML(false)
	// A problem consists of texts and a number, so there is no error.
	_ = encoder.Encode(document)
	w.WriteHeader(rejection.status)
	// An error means that the client is gone.
	_, _ = w.Write(bytes.TrimSuffix(body.Bytes(), []byte("\n")))
}

// rejectScopes names the required scopes. RFC 6750, section 3.1, defines these parameters for Bearer.
func (r rejecter) rejectScopes(w http.ResponseWriter, scopes []string) {
	separator := " "
	if strings.Contains(r.first, " ") {
		separator = ", "
	}
	w.Header().Set("WWW-Authenticate", r.first+separator+`error="insufficient_scope", scope="`+strings.Join(scopes, " ")+`"`)
	r.reject(w, InsufficientScope, "")
}

func (r rejecter) rejectRateLimited(w http.ResponseWriter, limit *RateLimit) {
	wait := 1
	if limit != nil {
		wait = limit.ResetSeconds
	}
	limit.setHeader(w.Header())
	w.Header().Set("Retry-After", strconv.Itoa(wait))
	r.reject(w, RateLimited, "")
}

func (r rejecter) rejectUnavailable(w http.ResponseWriter, retryAfter time.Duration) {
	if retryAfter < time.Second {
		retryAfter = time.Second
	}
	w.Header().Set("Retry-After", strconv.Itoa(int(retryAfter/time.Second)))
	r.reject(w, noVerdict, "")
}
