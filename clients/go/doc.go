// Package latchkey verifies API keys of Latchkey in Go services, and signs the requests of Go clients.
//
//   - [Verifier] asks the verification port for the verdict on a key.
//   - [RequireAPIKey] and [RequireScopes] are net/http middleware.
//   - [NewSigningClient] and [SigningTransport] sign requests with a key (RFC 9421).
//
// Everything fails closed: a request passes only after a well-formed answer that says that its key is valid. Nothing is
// cached, so a revoked key is rejected from the next request on. No error contains a key, a token or a signing secret.
package latchkey
