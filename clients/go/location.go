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
	// reads says what this place reads. No other place may read the same.
	reads []string
	// find returns the credentials in the value of the header. Without any, both results are empty. The problem is for
	// the client.
	find func(value string) (key, problem string)
	// challenge is for WWW-Authenticate, and instruction is behind "Send it as".
	challenge, instruction string
}

const (
	differentKeys = "The request contains two different API keys. Send only one."
	unclearBasic  = "Both the user name and the password can be the API key. " +
		"Send only the key, and leave the other one empty."
)

var errLocations = errors.New("latchkey: KeyLocations must be places, each once: authorization, header:<name> with a " +
	"name that has no other meaning, and basic, basic:username or basic:password")

// parseLocations parses the places of a request in the notation of KEY_LOCATIONS.
func parseLocations(text string) ([]location, error) {
	var locations []location
	read := map[string]bool{}
	for _, name := range strings.Split(text, ",") {
		found, ok := parseLocation(strings.TrimSpace(name))
		if !ok {
			return nil, errLocations
		}
		for _, what := range found.reads {
			if read[what] {
				return nil, errLocations
			}
			read[what] = true
		}
		locations = append(locations, found)
	}
	return locations, nil
}

func parseLocation(name string) (location, bool) {
	kind, rest, _ := strings.Cut(name, ":")
	switch {
	case name == "authorization":
		return location{"Authorization", []string{"Bearer"}, bearerToken, "Bearer", "Authorization: Bearer <key>"}, true
	case kind == "header":
		return headerLocation(strings.ToLower(rest))
	case name == "basic":
		return basicLocation("user name or password", eitherOf), true
	case name == "basic:username":
		return basicLocation("user name", func(username, _ string) (string, string) { return username, "" }), true
	case name == "basic:password":
		return basicLocation("password", func(_, password string) (string, string) { return password, "" }), true
	}
	return location{}, false
}

var (
	headerName = regexp.MustCompile(`^[a-z][a-z0-9_-]{0,63}$`)
	// usedOtherwise has the headers that HTTP, browsers, proxies and Latchkey use otherwise. A key in them would not
	// arrive, or would be logged.
	usedOtherwise = regexp.MustCompile(`^(?:(?:connection|cookie2?|date|expect|forwarded|from|host|http2-settings` +
		`|keep-alive|max-forwards|origin|pragma|priority|range|referer|set-cookie|signature|signature-input|te|traceparent` +
		`|tracestate|trailer|transfer-encoding|upgrade|user-agent|via|warning|www-authenticate|cache-control|x-real-ip` +
		`|x-request-id)$|accept|access-control-|content-|if-|proxy-|ratelimit|sec-|x-envoy-|x-forwarded-|x-latchkey-` +
		`|x-original-)`)
)

func headerLocation(name string) (location, bool) {
	reads := []string{withHyphens(name)}
	if name == "authorization" {
		reads = []string{"Bearer", "Basic"}
	}
	whole := func(value string) (string, string) { return value, "" }
	ok := headerName.MatchString(name) && !usedOtherwise.MatchString(withHyphens(name))
	return location{http.CanonicalHeaderKey(name), reads, whole, `ApiKey header="` + name + `"`, name + ": <key>"}, ok
}

// withHyphens returns the name that CGI and WSGI cannot tell from the given one.
func withHyphens(name string) string { return strings.ReplaceAll(name, "_", "-") }

func basicLocation(place string, choose func(username, password string) (key, problem string)) location {
	find := func(value string) (string, string) {
		// RFC 7617, section 2.
		decoded, err := base64.StdEncoding.DecodeString(credentials(value, "basic"))
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
	instruction := "Authorization: Basic with the key as " + place
	return location{"Authorization", []string{"Basic"}, find, `Basic realm="API key"`, instruction}
}

// keyShape is the format of the keys that Latchkey creates.
var keyShape = regexp.MustCompile(`^[a-z][a-z0-9]{0,15}_(?:live|test)_[0-9A-Za-z]{8}_[0-9A-Za-z]{49}$`)

// eitherOf returns the part that is the key. Existing clients put a fixed text into the other part, so the format of
// Latchkey's own keys decides.
func eitherOf(username, password string) (key, problem string) {
	usernameIsKey, passwordIsKey := keyShape.MatchString(username), keyShape.MatchString(password)
	switch {
	case username == "" || username == password:
		return password, ""
	case password == "":
		return username, ""
	case usernameIsKey && passwordIsKey:
		return "", differentKeys
	case usernameIsKey:
		return username, ""
	case passwordIsKey:
		return password, ""
	}
	return "", unclearBasic
}

func bearerToken(value string) (key, problem string) {
	token := credentials(value, "bearer")
	if strings.ContainsAny(token, " \t") {
		return "", ""
	}
	return token, ""
}

// credentials returns what follows the name of a scheme and spaces (RFC 9110, section 11.4), or an empty text.
func credentials(value, scheme string) string {
	name, rest, ok := strings.Cut(value, " ")
	if !ok || !strings.EqualFold(name, scheme) {
		return ""
	}
	return strings.TrimLeft(rest, " ")
}

// findKey returns the only key at the places, or an empty text. The same key at two places is one key.
func findKey(header http.Header, locations []location) (key, problem string) {
	for _, location := range locations {
		found, problem := location.find(header.Get(location.header))
		if problem != "" {
			return "", problem
		}
		if key != "" && found != "" && key != found {
			return "", differentKeys
		}
		if found != "" {
			key = found
		}
	}
	return key, ""
}

// headerProblem returns what is wrong if a header with credentials occurs twice, or in a form that only some servers read
// as the same name: a proxy in front may have read the other occurrence.
func headerProblem(header http.Header, locations []location) string {
	if len(header["Authorization"]) > 1 {
		return otherRejections[badUserInput].detail
	}
	for _, location := range locations {
		if location.header == "Authorization" {
			continue
		}
		if len(header[location.header]) > 1 {
			return strings.ToLower(location.header) + " must be given once."
		}
		for name := range header {
			if name != location.header && strings.EqualFold(withHyphens(name), withHyphens(location.header)) {
				return strings.ToLower(location.header) + " must be written with these hyphens and underscores."
			}
		}
	}
	return ""
}
