package latchkey

import (
	"encoding/json"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode"
)

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
