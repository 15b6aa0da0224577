package latchkey

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"regexp"
	"strings"
)

// readSigned returns the request if it is signed, and replaces its body with the bytes that it read. If it has answered
// the request, ok is false.
func (g *guard) readSigned(w http.ResponseWriter, r *http.Request) (signed *ReceivedRequest, ok bool) {
	received := &ReceivedRequest{Method: r.Method, Headers: map[string]string{"host": r.Host}}
	for _, name := range []string{"Content-Digest", "Content-Length", "Signature", "Signature-Input"} {
		if lines := r.Header.Values(name); len(lines) > 0 {
			received.Headers[strings.ToLower(name)] = strings.Join(lines, ", ")
		}
	}
	if len(r.TransferEncoding) > 0 {
		received.Headers["transfer-encoding"] = strings.Join(r.TransferEncoding, ", ")
	}
	if !received.isSigned() {
		return nil, true
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, g.BodyLimit))
	var tooLarge *http.MaxBytesError
	if errors.As(err, &tooLarge) {
		g.rejecter.reject(w, payloadTooLarge, "")
		return nil, false
	}
	if err != nil {
		// The body is cut off or malformed, so usually no client reads this.
		w.WriteHeader(http.StatusBadRequest)
		return nil, false
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	received.URL = g.originOf(r) + absoluteForm.ReplaceAllString(r.RequestURI, "")
	digests := digestsOf(body)
	received.BodyDigest = strings.Join(digests, ", ")
	return received, true
}

// absoluteForm matches what an absolute request target has before the path (RFC 9112, section 3.2.2). It has the same
// authority as Host, because net/http takes Host from it.
var absoluteForm = regexp.MustCompile(`(?i)^https?://[^/?]*`)

func (g *guard) originOf(r *http.Request) string {
	switch {
	case g.Origin != "":
		return g.Origin
	case r.TLS != nil:
		return "https://" + r.Host
	}
	return "http://" + r.Host
}
