package latchkey

import (
	"fmt"
	"io"
)

// Verification is the question whether a key is valid.
type Verification struct {
	// Key is the full key, as the caller presented it.
	Key string `json:"key"`
	// Env is the required environment, "live" or "test". If empty, both are accepted.
	Env string `json:"env,omitempty"`
	// SourceIP is the IP address of the caller. Keys with an allow-list are rejected without it.
	SourceIP string `json:"sourceIp,omitempty"`
	// Scopes are those that the request needs, all of them.
	Scopes []string `json:"scopes,omitempty"`
	// Request is for keys whose requests must be signed.
	Request *ReceivedRequest `json:"request,omitempty"`
}

// Format omits the key from logs.
func (Verification) Format(state fmt.State, _ rune) { io.WriteString(state, "latchkey.Verification") }

// ReceivedRequest is a request as the service received it.
type ReceivedRequest struct {
	Method string `json:"method"`
	// URL is the URL that the caller requested: absolute, or only path and query, which the Host header completes.
	URL string `json:"url"`
	// Headers has content-digest, content-length, host, signature, signature-input and transfer-encoding, as far as
	// they were sent. Other names are ignored.
	Headers map[string]string `json:"headers"`
	// BodyDigest is the digest of the bytes that arrived, as a Content-Digest value (RFC 9530).
	BodyDigest string `json:"bodyDigest,omitempty"`
}

func (r *ReceivedRequest) isSigned() bool {
	return r != nil && (r.Headers["signature"] != "" || r.Headers["signature-input"] != "")
}
