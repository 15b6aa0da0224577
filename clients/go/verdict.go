package latchkey

import (
	"encoding/json"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode"
)

// Code is the verdict on a key: [Valid], or why the key is rejected.
type Code string

// The codes of all verdicts, in the order of the checks.
const (
	Malformed         Code = "MALFORMED"
	NotFound          Code = "NOT_FOUND"
	Revoked           Code = "REVOKED"
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
	// Prefix has the first characters of the key: unique, safe to log.
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

// maxAnswerBytes is the limit for one verdict, which has about 400 bytes, and at most 12,000 with many scopes and long
// metadata.
const maxAnswerBytes = 16 * 1024

// answer is what the verifier sent.
type answer struct {
	status     int
	retryAfter string
	policy     string
	rateLimit  string
	body       []byte
}

// called names the verifier in errors, without the secrets of the call.
type called struct {
	origin  string
	secrets *strings.Replacer
}

// value returns the JSON of a 200. Every other answer is an error.
func (a answer) value(verifier called) (any, error) {
	var body any
	// The values are read from maps, because decoding into structs ignores the case of names.
	if json.Unmarshal(a.body, &body) != nil {
		body = nil
	}
	if a.status == 200 {
		return body, nil
	}
	reason := strconv.Itoa(a.status) + explanation(body, verifier)
	switch a.status {
	case 400, 401, 413:
		return nil, &RejectedError{a.status, "latchkey: the verifier at " + verifier.origin + " rejected the call with " + reason}
	}
	err := unavailable(verifier.origin, "it answered "+reason)
	err.Status = a.status
	if shortNumber.MatchString(a.retryAfter) {
		err.RetryAfter = time.Duration(number(a.retryAfter)) * time.Second
	}
	return nil, err
}

var shortNumber = regexp.MustCompile(`^[0-9]{1,5}$`)

// explanation returns the service's explanation of an error (RFC 9457), such as a wrong port, in one line for logs.
func explanation(body any, verifier called) string {
	members, _ := body.(map[string]any)
	detail, ok := members["detail"].(string)
	if !ok {
		return ""
	}
	line := []rune(strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == '\u2028' || r == '\u2029' {
			return ' '
		}
		return r
	}, verifier.secrets.Replace(detail)))
	if len(line) > 500 {
		line = line[:500]
	}
	return ": " + string(line)
}

// readVerdict fails closed: anything but a well-formed verdict that meets the requirements of the call is an error.
func readVerdict(value any, verifier called, required Verification) (Verdict, error) {
	body, _ := value.(map[string]any)
	verdict, ok := parseVerdict(body)
	switch {
	case !ok:
		return Verdict{}, unavailable(verifier.origin, "its answer is not a verdict")
	case verdict.Valid && required.Env != "" && verdict.Key.Env != required.Env:
		return Verdict{}, unavailable(verifier.origin, "its answer is for another environment")
	case verdict.Valid && !verdict.Key.HasScopes(required.Scopes...):
		return Verdict{}, unavailable(verifier.origin, "its answer is for other scopes")
	}
	return verdict, nil
}

// parseVerdict checks every field. An answer that contradicts itself or has a code of a newer service is not ok.
func parseVerdict(body map[string]any) (Verdict, bool) {
	text, _ := body["code"].(string)
	code := Code(text)
	valid, ok := body["valid"].(bool)
	if _, known := rejections[code]; !ok || valid == known || valid != (code == Valid) {
		return Verdict{}, false
	}
	fields := &reader{body: body, complete: valid, ok: true}
	key := Key{
		ID:         fields.text("keyId"),
		TeamID:     fields.text("teamId"),
		Name:       fields.text("name"),
		Env:        fields.oneOf("env", "live", "test"),
		Prefix:     fields.text("prefix"),
		ExpiresAt:  fields.time("expiresAt"),
		Secret:     fields.secret(),
		Scopes:     fields.texts("scopes"),
		ExternalID: fields.optionalText("externalId"),
		Metadata:   fields.object("metadata"),
	}
	if !fields.ok {
		return Verdict{}, false
	}
	return Verdict{Valid: valid, Code: code, Key: key}, true
}

// reader reads the fields of an answer. A field of the wrong type, and a missing one, make it not ok.
type reader struct {
	body map[string]any
	// complete is whether fields that every key has must not be null.
	complete bool
	ok       bool
}

func (r *reader) text(name string) string {
	value, present := r.body[name]
	text, ok := value.(string)
	r.ok = r.ok && (ok || (present && value == nil && !r.complete))
	return text
}

func (r *reader) oneOf(name string, values ...string) string {
	text := r.text(name)
	known := text == "" && r.body[name] == nil
	for _, value := range values {
		known = known || text == value
	}
	r.ok = r.ok && known
	return text
}

func (r *reader) time(name string) time.Time {
	value, present := r.body[name]
	if value == nil {
		r.ok = r.ok && present
		return time.Time{}
	}
	text, _ := value.(string)
	moment, err := time.Parse(time.RFC3339, text)
	r.ok = r.ok && err == nil
	return moment
}

// Older versions of the service do not send the fields below.

func (r *reader) secret() string {
	if _, present := r.body["secret"]; present {
		return r.oneOf("secret", "current", "previous")
	}
	if r.body["keyId"] == nil {
		return ""
	}
	return "current"
}

func (r *reader) texts(name string) []string {
	value, present := r.body[name]
	list, ok := value.([]any)
	r.ok = r.ok && (ok || !present)
	texts := make([]string, len(list))
	for i, entry := range list {
		texts[i], ok = entry.(string)
		r.ok = r.ok && ok
	}
	return texts
}

func (r *reader) optionalText(name string) string {
	text, ok := r.body[name].(string)
	r.ok = r.ok && (ok || r.body[name] == nil)
	return text
}

func (r *reader) object(name string) map[string]any {
	object, ok := r.body[name].(map[string]any)
	r.ok = r.ok && (ok || r.body[name] == nil) && isShallow(object, 8)
	return object
}

// isShallow limits the nesting of metadata as the service does, so that recursive functions of the caller can read it.
func isShallow(value any, depth int) bool {
	var members []any
	switch parent := value.(type) {
	case map[string]any:
		for _, member := range parent {
			members = append(members, member)
		}
	case []any:
		members = parent
	default:
		return true
	}
	for _, member := range members {
		if !isShallow(member, depth-1) {
			return false
		}
	}
	return depth > 0
}
