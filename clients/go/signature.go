package latchkey

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"strings"
)

// sign adds the key and the signature to the header. It returns the length of the body.
func (t *SigningTransport) sign(request *http.Request, getBody bodyFunc) (length int64, err error) {
	if request.Header == nil {
		request.Header = http.Header{}
	}
	base, components, err := targetOf(request)
	if err != nil {
		return 0, err
	}
	digest, length, err := contentDigest(request.Header, getBody)
	if err != nil {
		return 0, err
	}
	if digest != "" {
		request.Header.Set("Content-Digest", digest)
		base += "\"content-digest\": " + digest + "\n"
		components += ` "content-digest"`
	}
	nonce, err := t.nonce()
	if err != nil {
		return 0, err
	}
	created := t.options.Now().Unix()
	if created < 0 {
		return 0, errors.New("latchkey: Now must return a time after 1970")
	}
	parameters := fmt.Sprintf(`(%s);created=%d;expires=%d;nonce="%s";keyid="%s";alg="hmac-sha256";tag="latchkey-v1"`,
		components, created, created+t.lifetimeSeconds, nonce, t.options.KeyID)
	mac := hmac.New(sha256.New, t.secret)
	mac.Write([]byte(base + "\"@signature-params\": " + parameters))
	request.Header.Set("Authorization", "Bearer "+t.options.APIKey)
	request.Header.Set("Signature-Input", "sig1="+parameters)
	request.Header.Set("Signature", "sig1=:"+base64.StdEncoding.EncodeToString(mac.Sum(nil))+":")
	return length, nil
}

func randomNonce() (string, error) {
	nonce := make([]byte, 16)
	_, err := rand.Read(nonce)
	return base64.RawURLEncoding.EncodeToString(nonce), err
}

// targetOf returns the start of the signature base (docs/signing.md) and its components: what http.Transport will send.
func targetOf(request *http.Request) (base, components string, err error) {
	method, host := request.Method, request.Host
	if method == "" {
		method = http.MethodGet
	}
	if host == "" {
		host = request.URL.Host
	}
	// In lower case and without the scheme's default port (RFC 9421, section 2.2.3).
	defaultPort := map[string]string{"http": ":80", "https": ":443"}[request.URL.Scheme]
	host = strings.TrimSuffix(strings.TrimSuffix(strings.ToLower(host), defaultPort), ":")
	uri := request.URL.RequestURI()
	switch {
	case request.Response != nil:
		return "", "", errors.New("latchkey: a signed request does not follow redirects: use NewSigningClient")
	case request.URL.User != nil:
		return "", "", errors.New("latchkey: the URL must have no user name and no password")
	case request.Header.Get("Signature") != "" || request.Header.Get("Signature-Input") != "":
		return "", "", errors.New("latchkey: the request must have no signature: a request has only one")
	case defaultPort == "" || !token.MatchString(method) || !authority.MatchString(host) || !originForm.MatchString(uri):
		return "", "", errors.New("latchkey: the request must have a method and an absolute http or https URL in ASCII")
	}
	path, query, _ := strings.Cut(uri, "?")
	base = fmt.Sprintf("\"@method\": %s\n\"@authority\": %s\n\"@path\": %s\n\"@query\": ?%s\n", method, host, path, query)
	return base, `"@method" "@authority" "@path" "@query"`, nil
}
