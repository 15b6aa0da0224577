package latchkey

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"time"
)

// Derivation asks for a token that does a part of what a key may.
type Derivation struct {
	// Key is the full key.
	Key string `json:"key"`
	// Scopes are those of the token, which the key must have.
	Scopes []string `json:"scopes"`
	// ExpiresAt is when the token stops working: at most 24 hours from now.
	ExpiresAt time.Time `json:"expiresAt"`
	// Env is the environment that the key must have, "live" or "test". If empty, both are accepted.
	Env string `json:"env,omitempty"`
	// Sources are at most 10 IP addresses and CIDR ranges that can use the token, if the key allows them too.
	Sources []string `json:"sources,omitempty"`
	// Label is what the uses of the token are counted under.
	Label string `json:"label,omitempty"`
}

// Format omits the key from logs.
func (Derivation) Format(state fmt.State, _ rune) { io.WriteString(state, "latchkey.Derivation") }

// DerivedToken is presented as a key is, and ends with its key.
type DerivedToken struct {
	Token     string
	ExpiresAt time.Time
}

// Format omits the token from logs.
func (DerivedToken) Format(state fmt.State, _ rune) { io.WriteString(state, "latchkey.DerivedToken") }

var deriving = endpoint{"v1/derive", http.StatusCreated, []int{400, 401, 403, 413}}

// Derive derives a token from a key, which counts as a verification of the key from this machine's address.
//
// The error is a [*RejectedError] if the key is rejected (401, 403) or the call is wrong (400, 413), and an
// [*UnavailableError] for everything else, such as a reached rate limit.
func (v *Verifier) Derive(ctx context.Context, derivation Derivation) (DerivedToken, error) {
	if derivation.Scopes == nil {
		derivation.Scopes = []string{}
	}
	_, body, err := v.call(ctx, deriving, derivation, Verification{Key: derivation.Key})
	if err != nil {
		return DerivedToken{}, err
	}
	var derived struct {
		Token     string
		ExpiresAt time.Time
	}
	if json.Unmarshal(body, &derived) != nil || derived.Token == "" || derived.ExpiresAt.IsZero() {
		return DerivedToken{}, v.unavailable("its answer is not a token")
	}
	return DerivedToken(derived), nil
}
