package latchkey

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"strings"
)

// sign adds the key and the signature to the header. A body that is nil has no digest.
func (t *SigningTransport) sign(request *http.Request, body []byte) error {
	if request.Header == nil {
		request.Header = http.Header{}
	}
	base, components, err := targetOf(request)
	if err != nil {
		return err
	}
	digest, err := contentDigest(request.Header, body)
	if err != nil {
		return err
	}
	if digest != "" {
		request.Header.Set("Content-Digest", digest)
		base += "\"content-digest\": " + digest + "\n"
		components += ` "content-digest"`
	}
	nonce, err := t.nonce()
	if err != nil {
		return err
	}
	created := t.options.Now().Unix()
	if created < 0 {
		return errors.New("latchkey: Now must return a time after 1970")
	}
	parameters := fmt.Sprintf(`(%s);created=%d;expires=%d;nonce="%s";keyid="%s";alg="hmac-sha256";tag="latchkey-v1"`,
		components, created, created+t.lifetimeSeconds, nonce, t.options.KeyID)
	mac := hmac.New(sha256.New, t.secret)
	mac.Write([]byte(base + "\"@signature-params\": " + parameters))
	request.Header.Set("Authorization", "Bearer "+t.options.APIKey)
	request.Header.Set("Signature-Input", "sig1="+parameters)
	request.Header.Set("Signature", "sig1=:"+base64.StdEncoding.EncodeToString(mac.Sum(nil))+":")
	return nil
}

func randomNonce() (string, error) {
	nonce := make([]byte, 16)
	_, err := rand.Read(nonce)
	return base64.RawURLEncoding.EncodeToString(nonce), err
}

var (
	token      = regexp.MustCompile("^[!#$%&'*+\\-.^_`|~0-9A-Za-z]{1,64}$")
	authority  = regexp.MustCompile(`^(?:\[[0-9a-f:.]+\]|[a-z0-9._~!$&'()*+;=%-]+)(?::[0-9]{1,5})?$`)
	originForm = regexp.MustCompile(`^/[\x21\x22\x24-\x7e]*$`)
)

// targetOf returns the start of the signature base (docs/tasks/signing.md) and its components: what http.Transport will send.
func targetOf(request *http.Request) (base, components string, err error) {
	method, host := request.Method, request.Host
	if method == "" {
		method = http.MethodGet
	}
	if host == "" {
		host = request.URL.Host
	}
	// In lower case and without the scheme's default port (RFC 9421, section 2.2.3).
	defaultPort := map[string]string{"http": ":80", "ws": ":80", "https": ":443", "wss": ":443"}[request.URL.Scheme]
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

// contentDigest returns the Content-Digest to sign: that of the header, which must match the body, or a new one. It is
// empty without a body.
func contentDigest(header http.Header, body []byte) (string, error) {
	digests, given := digestsOf(body), joined(header, "Content-Digest")
	switch {
	case given == "" && body == nil:
		return "", nil
	case given == "":
		return digests[0], nil
	case !agrees(given, digests):
		return "", errors.New("latchkey: Content-Digest must have the sha-256 or sha-512 of the body")
	}
	return given, nil
}

// agrees returns whether a Content-Digest has at least one of these digests, and no other with their algorithms.
func agrees(field string, digests []string) bool {
	known := false
	for _, member := range strings.Split(field, ",") {
		member = strings.Trim(member, " \t")
		for _, digest := range digests {
			switch algorithm, _, _ := strings.Cut(digest, "="); {
			case member == digest:
				known = true
			case strings.HasPrefix(member, algorithm):
				return false
			}
		}
	}
	return known
}

// digestsOf returns the members of a Content-Digest value (RFC 9530) with sha-256 and sha-512.
func digestsOf(body []byte) []string {
	short, long := sha256.Sum256(body), sha512.Sum512(body)
	encode := base64.StdEncoding.EncodeToString
	return []string{"sha-256=:" + encode(short[:]) + ":", "sha-512=:" + encode(long[:]) + ":"}
}
