package latchkey

import (
	"fmt"
	"net/http"
	"regexp"
	"strconv"
)

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

var (
	policyField    = regexp.MustCompile(`^"default";q=(\d{1,10});w=(\d{1,10})$`)
	rateLimitField = regexp.MustCompile(`^"default";r=(\d{1,10});t=(\d{1,10})$`)
)

// parseRateLimit parses the output of setHeader. It returns nil for any other text.
func parseRateLimit(policyText, rateLimitText string) *RateLimit {
	policy, state := policyField.FindStringSubmatch(policyText), rateLimitField.FindStringSubmatch(rateLimitText)
	if policy == nil || state == nil {
		return nil
	}
	return &RateLimit{number(policy[1]), number(policy[2]), number(state[1]), number(state[2])}
}

// number parses digits that a regular expression has matched.
func number(digits string) int {
	value, _ := strconv.Atoi(digits)
	return value
}
