package latchkey

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"strconv"
	"time"
)

// Code is the verdict on a key: [Valid], or why the key is rejected.
type Code string

// The codes of all verdicts, in the order of the checks.
const (
	Malformed         Code = "MALFORMED"
	NotFound          Code = "NOT_FOUND"
	Revoked           Code = "REVOKED"
	Frozen            Code = "FROZEN"
	Rotated           Code = "ROTATED"
	Disabled          Code = "DISABLED"
	Expired           Code = "EXPIRED"
	WrongEnvironment  Code = "WRONG_ENVIRONMENT"
	SourceNotAllowed  Code = "SOURCE_NOT_ALLOWED"
	InsufficientScope Code = "INSUFFICIENT_SCOPE"
	SignatureRequired Code = "SIGNATURE_REQUIRED"
	SignatureInvalid  Code = "SIGNATURE_INVALID"
	SignatureExpired  Code = "SIGNATURE_EXPIRED"
	SignatureReplayed Code = "SIGNATURE_REPLAYED"
	RateLimited       Code = "RATE_LIMITED"
	Valid             Code = "VALID"
)

// Verdict is the answer to a verification. A rejected key is an answer, not an error.
type Verdict struct {
	Valid bool
	Code  Code
	// Key is complete if Valid. Otherwise, fields that the service does not know or does not disclose are empty.
	Key Key
}

// Key is what the service knows about a key. It contains no secret.
type Key struct {
	ID     string
	TeamID string
	Name   string
	// Env is "live" or "test".
	Env string
	// Prefix has the first characters of the key, which are safe to log. Imported keys can have the same.
	Prefix string
	// ExpiresAt is zero if the key never expires.
	ExpiresAt time.Time
	// Secret is "current", or "previous" for a secret from before the last rotation.
	Secret string
	Scopes []string
	// ExternalID is the team's own id for the customer or service that the key belongs to, or empty.
	ExternalID string
	// Metadata is a JSON object with numbers as float64, or nil.
	Metadata map[string]any
	// RateLimit is nil for a key without a rate limit, and in the answers of VerifyAll.
	RateLimit *RateLimit
}

// HasScopes returns whether the key has all of these scopes. Scopes are compared as they are, without wildcards.
func (k Key) HasScopes(scopes ...string) bool {
	granted := make(map[string]bool, len(k.Scopes))
	for _, scope := range k.Scopes {
		granted[scope] = true
	}
	for _, scope := range scopes {
		if !granted[scope] {
			return false
		}
	}
	return true
}

// parseVerdict checks every field. An answer that contradicts itself or has a code of a newer service is not ok.
func parseVerdict(text []byte) (verdict Verdict, ok bool) {
	// A map, because decoding into a struct ignores the case of names.
	var members map[string]json.RawMessage
	if json.Unmarshal(text, &members) != nil {
		return Verdict{}, false
	}
	var valid bool
	var code Code
	var key Key
	isNull := func(name string) bool { return string(members[name]) == "null" }
	required := func(name string, value any, nullable bool) bool {
		if isNull(name) {
			return nullable
		}
		return json.Unmarshal(members[name], value) == nil
	}
	optional := func(name string, value any, nullable bool) bool {
		_, present := members[name]
		return !present || required(name, value, nullable)
	}
	if !required("valid", &valid, false) || !required("code", &code, false) || valid != (code == Valid) {
		return Verdict{}, false
	}
	if _, known := rejections[code]; !known && !valid {
		return Verdict{}, false
	}
	// Only the key of a rejection may be unknown or undisclosed.
	undisclosed := !valid
	ok = required("keyId", &key.ID, undisclosed) &&
		required("teamId", &key.TeamID, undisclosed) &&
		required("name", &key.Name, undisclosed) &&
		required("env", &key.Env, undisclosed) &&
		required("prefix", &key.Prefix, undisclosed) &&
		required("expiresAt", &key.ExpiresAt, true) &&
		// Older versions of the service do not send the fields below.
		optional("secret", &key.Secret, undisclosed) &&
		optional("scopes", &key.Scopes, false) &&
		optional("externalId", &key.ExternalID, true) &&
		optional("metadata", &key.Metadata, true)
	_, hasSecret := members["secret"]
	if !hasSecret && !isNull("keyId") {
		key.Secret = "current"
	}
	ok = ok && (key.Env == "live" || key.Env == "test" || isNull("env")) &&
		(key.Secret == "current" || key.Secret == "previous" || isNull("secret") || !hasSecret) &&
		// A null in the list has become an empty text.
		!key.HasScopes("") && isShallow(key.Metadata, 8)
	return Verdict{valid, code, key}, ok
}

// isShallow limits the nesting of metadata as the service does, so that recursive functions of the caller can read it.
func isShallow(value any, depth int) bool {
	shallow := depth > 0
	switch parent := value.(type) {
	case map[string]any:
		for _, member := range parent {
			shallow = shallow && isShallow(member, depth-1)
		}
	case []any:
		for _, member := range parent {
			shallow = shallow && isShallow(member, depth-1)
		}
	default:
		return true
	}
	return shallow
}

// RateLimit is the state of the rate limit of a key (draft-ietf-httpapi-ratelimit-headers).
type RateLimit struct {
	Limit         int
	WindowSeconds int
	// Remaining is the number of requests that this window still accepts.
	Remaining int
	// ResetSeconds is the time until the next window starts.
	ResetSeconds int
}

// setHeader sets the RateLimit fields of a response. Without a rate limit, it sets nothing.
func (l *RateLimit) setHeader(header http.Header) {
	if l != nil {
		header.Set("RateLimit-Policy", fmt.Sprintf(`"default";q=%d;w=%d`, l.Limit, l.WindowSeconds))
		header.Set("RateLimit", fmt.Sprintf(`"default";r=%d;t=%d`, l.Remaining, l.ResetSeconds))
	}
}

var rateLimitFields = regexp.MustCompile(`^"default";q=(\d{1,10});w=(\d{1,10})\n"default";r=(\d{1,10});t=(\d{1,10})$`)

// parseRateLimit parses what setHeader sets. It returns nil for anything else.
func parseRateLimit(header http.Header) *RateLimit {
	match := rateLimitFields.FindStringSubmatch(joined(header, "RateLimit-Policy") + "\n" + joined(header, "RateLimit"))
	if match == nil {
		return nil
	}
	var numbers [4]int
	for i := range numbers {
		// Digits that have matched.
		numbers[i], _ = strconv.Atoi(match[i+1])
	}
	return &RateLimit{numbers[0], numbers[1], numbers[2], numbers[3]}
}
