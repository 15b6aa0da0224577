package latchkey

import (
	"encoding/base64"
	"errors"
	"net/http"
	"regexp"
	"strings"
)

// location is a place of a request in which a client presents its key.
type location struct {
	// header is the canonical name.
	header string
	// scheme is that of the credentials in Authorization. If empty, the whole value of the header is the key.
	scheme string
	// find returns the key in the credentials, without the scheme. Without any, both results are empty. The problem is
	// for the client.
	find func(credentials string) (key, problem string)
	// challenge is for WWW-Authenticate, and instruction is behind "Send it as".
	challenge, instruction string
}

// schemes are the places in Authorization.
var schemes = map[string]location{
	"authorization":  {"Authorization", "Bearer", whole, "Bearer", "Authorization: Bearer <key>"},
	"basic":          basicLocation("user name or password", eitherOf),
	"basic:username": basicLocation("user name", func(username, _ string) (string, string) { return username, "" }),
	"basic:password": basicLocation("password", func(_, password string) (string, string) { return password, "" }),
}

const (
	differentKeys = "The request contains two different API keys. Send only one."
	unclearBasic  = "Both the user name and the password can be the API key. " +
		"Send only the key, and leave the other one empty."
)

// parseLocations parses the places of a request, each in the notation of KEY_LOCATIONS.
func parseLocations(names []string) ([]location, error) {
	var locations []location
	for _, name := range names {
		name = strings.TrimSpace(name)
		found, ok := schemes[name]
		if !ok {
			found, ok = headerLocation(name)
		}
		for _, other := range locations {
			ok = ok && !found.overlaps(other)
		}
		if !ok {
			return nil, errors.New("latchkey: KeyLocations must be places, each once: authorization, header:<name> with a " +
				"name that has no other meaning, and basic, basic:username or basic:password")
		}
		locations = append(locations, found)
	}
	return locations, nil
}

func (l location) overlaps(other location) bool {
	return sameHeader(l.header, other.header) && (l.scheme == other.scheme || l.scheme == "" || other.scheme == "")
}

// sameHeader returns whether CGI and WSGI cannot tell the names.
func sameHeader(one, other string) bool {
	return strings.EqualFold(withHyphens(one), withHyphens(other))
}

func withHyphens(name string) string { return strings.ReplaceAll(name, "_", "-") }

var (
	headerName = regexp.MustCompile(`^[a-z][a-z0-9_-]{0,63}$`)
	// usedOtherwise has the headers that HTTP, browsers, proxies and Latchkey use otherwise. A key in them would not
	// arrive, or would be logged.
	usedOtherwise = regexp.MustCompile(`^(?:(?:connection|cookie2?|date|expect|forwarded|from|host|http2-settings` +
		`|keep-alive|max-forwards|origin|pragma|priority|range|referer|set-cookie|signature|signature-input|te|traceparent` +
		`|tracestate|trailer|transfer-encoding|upgrade|user-agent|via|warning|www-authenticate|cache-control|x-real-ip` +
		`|x-request-id|b3|baggage|cf-connecting-ip|proxy|true-client-ip|x-amzn-trace-id|x-client-ip` +
		`|x-correlation-id|x-http-method-override)$|accept|access-control-|content-|grpc-|if-|proxy-|ratelimit|sec-|x-envoy-|x-forwarded-|x-latchkey-` +
		`|x-original-)`)
)

func headerLocation(place string) (location, bool) {
	kind, name, _ := strings.Cut(place, ":")
	name = strings.ToLower(name)
	ok := kind == "header" && headerName.MatchString(name) && !usedOtherwise.MatchString(withHyphens(name))
	return location{http.CanonicalHeaderKey(name), "", whole, `ApiKey header="` + name + `"`, name + ": <key>"}, ok
}

func basicLocation(place string, choose func(username, password string) (key, problem string)) location {
	find := func(credentials string) (string, string) {
		// RFC 7617, section 2.
		decoded, err := base64.StdEncoding.DecodeString(credentials)
		// Each byte becomes one character: keys are ASCII, so that other texts are malformed in every charset.
		text := make([]rune, len(decoded))
		for i, char := range decoded {
			text[i] = rune(char)
		}
		username, password, ok := strings.Cut(string(text), ":")
		if err != nil || !ok {
			return "", ""
		}
		return choose(username, password)
	}
	return location{"Authorization", "Basic", find, `Basic realm="API key"`, "Authorization: Basic with the key as " + place}
}

// keyShape is the format of the keys of Latchkey, also if a client made the secret.
var keyShape = regexp.MustCompile(`^[a-z][a-z0-9]{0,15}_(?:live|test)_(?:(?:c_)?[0-9A-Za-z]{8}_[0-9A-Za-z]{49}|d_[0-9A-Za-z_-]{100,}[0-9A-Za-z]{6})$`)

// eitherOf returns the part that is the key. Existing clients put a fixed text into the other part, so the format of
// Latchkey's own keys decides.
func eitherOf(username, password string) (key, problem string) {
	usernameIsKey, passwordIsKey := keyShape.MatchString(username), keyShape.MatchString(password)
	switch {
	case username == "" || username == password || (passwordIsKey && !usernameIsKey):
		return password, ""
	case password == "" || (usernameIsKey && !passwordIsKey):
		return username, ""
	case usernameIsKey && passwordIsKey:
		return "", differentKeys
	}
	return "", unclearBasic
}

func whole(credentials string) (key, problem string) { return credentials, "" }

// credentials returns what follows a scheme and spaces (RFC 9110, section 11.4), if it is one word.
func credentials(value, scheme string) string {
	name, rest, _ := strings.Cut(value, " ")
	rest = strings.TrimLeft(rest, " ")
	if !strings.EqualFold(name, scheme) || strings.ContainsAny(rest, " \t") {
		return ""
	}
	return rest
}

// presentedKey returns the only key of a request, or the code and the problem to reject it with. The same key at two
// places is one key.
func (g *guard) presentedKey(header http.Header) (key string, code Code, problem string) {
	if problem = headerProblem(header, g.locations); problem != "" {
		return "", badUserInput, problem
	}
	for _, location := range g.locations {
		value := header.Get(location.header)
		if location.scheme != "" {
			value = credentials(value, location.scheme)
		}
		found, problem := location.find(value)
		switch {
		case problem != "":
			return "", unauthenticated, problem
		case key != "" && found != "" && key != found:
			return "", unauthenticated, differentKeys
		case found != "":
			key = found
		}
	}
	return key, unauthenticated, "Send it as " + g.instruction + "."
}

// headerProblem returns what is wrong if a header with credentials occurs twice, or in a form that only some servers read
// as the same name: a proxy in front may have read the other occurrence.
func headerProblem(header http.Header, locations []location) string {
	if len(header["Authorization"]) > 1 {
		return otherRejections[badUserInput].Detail
	}
	for _, location := range locations {
		if len(header[location.header]) > 1 {
			return strings.ToLower(location.header) + " must be given once."
		}
		for name := range header {
			if name != location.header && sameHeader(name, location.header) {
				return strings.ToLower(location.header) + " must be written with these hyphens and underscores."
			}
		}
	}
	return ""
}
