package latchkey

import (
	"time"
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
