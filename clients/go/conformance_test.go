package latchkey

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"
)

type object = map[string]any

// vectors reads a file that the clients in all languages run. clients/conformance/README.md describes its members.
func vectors[File any](t *testing.T, name string) File {
	t.Helper()
	text, err := os.ReadFile("../conformance/" + name)
	if err != nil {
		t.Fatal(err)
	}
	var file File
	if err := json.Unmarshal(text, &file); err != nil {
		t.Fatal(err)
	}
	return file
}

type field [2]string

func headerOf(fields []field) http.Header {
	header := http.Header{}
	for _, field := range fields {
		header.Add(field[0], field[1])
	}
	return header
}

type request struct {
	Method, Target string
	Headers        []field
	Body           string
}

type verdictCase struct {
	Name  string
	Input struct {
		Options struct {
			Env, Origin, ErrorsURL      string
			RequireScopes, KeyLocations []string
			BodyLimit                   int64
		}
		Request *request
		Answer  struct {
			Status  int
			Headers map[string]string
			Verdict object
			Without []string
			Text    *string
			Repeat  struct {
				Text  string
				Times int
			}
			PadToBytes int
			CutOff     bool
			Fault      string
		}
	}
	Expected struct {
		Call    json.RawMessage
		Key     object
		Problem object
		Headers map[string]string
		Error   struct {
			Kind              string
			Status            int
			RetryAfterSeconds int
		}
	}
}

type verdictFile struct {
	Request        request
	Verdict        object
	Call           object
	Key            object
	ProblemHeaders map[string]string
	Problems       map[string]object
	Cases          []verdictCase
}

func merged(parts ...object) object {
	all := object{}
	for _, part := range parts {
		for name, value := range part {
			all[name] = value
		}
	}
	return all
}

// answerOf returns the body of the verifier's answer.
func (c verdictCase) answerOf(file verdictFile) string {
	answer := c.Input.Answer
	var text string
	if answer.Text != nil {
		text = *answer.Text + strings.Repeat(answer.Repeat.Text, answer.Repeat.Times)
	} else {
		verdict := merged(file.Verdict, answer.Verdict)
		for _, name := range answer.Without {
			delete(verdict, name)
		}
		content, _ := json.Marshal(verdict)
		text = string(content)
	}
	return text + strings.Repeat(" ", max(0, answer.PadToBytes-len(text)))
}

func max(a, b int) int {
	if a > b {
		return a
	}
	return b
}

// serveAnswer is the verification port of a case.
func (c verdictCase) serveAnswer(w http.ResponseWriter, r *http.Request, file verdictFile) {
	answer := c.Input.Answer
	body := c.answerOf(file)
	if answer.Fault == "silent" {
		<-r.Context().Done()
		return
	}
	if answer.Fault != "" || answer.CutOff {
		connection, _, _ := w.(http.Hijacker).Hijack()
		defer connection.Close()
		if answer.Fault == "garbage" {
			fmt.Fprint(connection, "\x00\x01 not HTTP\r\n\r\n")
		}
		if answer.CutOff {
			fmt.Fprintf(connection, "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", len(body)+10, body)
		}
		return
	}
	w.Header().Set("Content-Type", "application/json")
	for name, value := range answer.Headers {
		w.Header().Set(name, value)
	}
	if answer.Status != 0 {
		w.WriteHeader(answer.Status)
	}
	io.WriteString(w, body)
}

func TestVerdictsFollowTheConformanceVectors(t *testing.T) {
	file := vectors[verdictFile](t, "verdicts.json")
	if len(file.Cases) < 100 {
		t.Fatalf("there are only %d cases", len(file.Cases))
	}
	for _, one := range file.Cases {
		one := one
		t.Run(one.Name, func(t *testing.T) { one.run(t, file) })
	}
}

func (c verdictCase) run(t *testing.T, file verdictFile) {
	received := make(chan object, 10)
	port := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var call object
		if err := json.NewDecoder(r.Body).Decode(&call); err != nil || r.Method != "POST" || r.URL.Path != "/v1/verify" {
			t.Errorf("not a call: %s %s %v", r.Method, r.URL, err)
		}
		received <- call
		c.serveAnswer(w, r, file)
	}))
	defer port.Close()
	timeout := 30 * time.Second
	if c.Input.Answer.Fault == "silent" {
		timeout = time.Second
	}
	if c.Input.Answer.Fault == "refuses" {
		port.Close()
	}
	verifier, err := NewVerifier(VerifierOptions{URL: port.URL, Timeout: timeout})
	if err != nil {
		t.Fatal(err)
	}
	defer verifier.Close()
	options := c.Input.Options
	var failure error
	protect, err := RequireAPIKey(Options{
		Verifier: verifier, Env: options.Env, Scopes: options.RequireScopes, KeyLocations: options.KeyLocations,
		Origin: options.Origin, BodyLimit: options.BodyLimit, ErrorsURL: options.ErrorsURL,
		OnError: func(_ *http.Request, err error) { failure = err },
	})
	if err != nil {
		t.Fatal(err)
	}
	var passed *Key
	sent := file.Request
	if c.Input.Request != nil {
		sent = *c.Input.Request
	}
	api := httptest.NewServer(protect(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		key, _ := KeyFrom(r.Context())
		passed = &key
		body, err := io.ReadAll(r.Body)
		if err != nil || string(body) != sent.Body {
			t.Errorf("the handler read %q, %v", body, err)
		}
	})))
	defer api.Close()
	status, header, body := exchange(t, api.Listener.Addr().String(), sent)
	api.Close()
	calls := make([]object, len(received))
	for i := range calls {
		calls[i] = <-received
	}
	c.checkCalls(t, calls, file)
	c.checkKey(t, passed, file)
	c.checkAnswer(t, status, header, body, file)
	c.checkError(t, failure)
	secret := file.Call["key"].(string)
	if strings.Contains(fmt.Sprint(header, body, failure), secret) {
		t.Error("the key leaked")
	}
}

// exchange sends a request as it is.
func exchange(t *testing.T, address string, sent request) (int, http.Header, string) {
	t.Helper()
	connection, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer connection.Close()
	var text bytes.Buffer
	fmt.Fprintf(&text, "%s %s HTTP/1.1\r\n", sent.Method, sent.Target)
	for _, field := range sent.Headers {
		fmt.Fprintf(&text, "%s: %s\r\n", field[0], field[1])
	}
	fmt.Fprintf(&text, "Connection: close\r\n\r\n%s", sent.Body)
	if _, err := connection.Write(text.Bytes()); err != nil {
		t.Fatal(err)
	}
	response, err := http.ReadResponse(bufio.NewReader(connection), nil)
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, response.Header, string(body)
}

func (c verdictCase) checkCalls(t *testing.T, calls []object, file verdictFile) {
	if string(c.Expected.Call) == "null" {
		if len(calls) > 0 {
			t.Errorf("called the verifier: %v", calls)
		}
		return
	}
	// The timeout of a silent verifier may end the call before it arrives.
	if fault := c.Input.Answer.Fault; fault == "refuses" || (fault == "silent" && len(calls) == 0) {
		return
	}
	var others object
	if c.Expected.Call != nil {
		json.Unmarshal(c.Expected.Call, &others)
	}
	for _, call := range calls {
		delete(call, "sourceIp")
	}
	if expected := merged(file.Call, others); len(calls) != 1 || !reflect.DeepEqual(calls[0], expected) {
		t.Errorf("calls: %v, expected %v", calls, expected)
	}
}

func (c verdictCase) checkKey(t *testing.T, key *Key, file verdictFile) {
	if c.Expected.Key == nil {
		if key != nil {
			t.Errorf("the request passed with %+v", key)
		}
		return
	}
	if key == nil {
		t.Fatal("the request did not pass")
	}
	optional := func(is bool, value any) any {
		if is {
			return value
		}
		return nil
	}
	var scopes []any = make([]any, 0)
	for _, scope := range key.Scopes {
		scopes = append(scopes, scope)
	}
	got := object{
		"keyId": key.ID, "teamId": key.TeamID, "name": key.Name, "env": key.Env, "prefix": key.Prefix, "secret": key.Secret,
		"expiresAt":  optional(!key.ExpiresAt.IsZero(), key.ExpiresAt.Format("2006-01-02T15:04:05.000Z07:00")),
		"scopes":     scopes,
		"externalId": optional(key.ExternalID != "", key.ExternalID),
		"metadata":   optional(key.Metadata != nil, key.Metadata),
		"rateLimit":  nil,
	}
	if limit := key.RateLimit; limit != nil {
		got["rateLimit"] = object{"limit": float64(limit.Limit), "windowSeconds": float64(limit.WindowSeconds),
			"remaining": float64(limit.Remaining), "resetSeconds": float64(limit.ResetSeconds)}
	}
	if expected := merged(file.Key, c.Expected.Key); !reflect.DeepEqual(got, expected) {
		t.Errorf("key: %v, expected %v", got, expected)
	}
}

func (c verdictCase) checkAnswer(t *testing.T, status int, header http.Header, body string, file verdictFile) {
	expected := map[string]string{}
	if c.Expected.Problem != nil {
		for name, value := range file.ProblemHeaders {
			expected[name] = value
		}
		problem := merged(file.Problems[c.Expected.Problem["code"].(string)], c.Expected.Problem)
		var got object
		if err := json.Unmarshal([]byte(body), &got); err != nil || !reflect.DeepEqual(got, problem) {
			t.Errorf("problem: %s, expected %v", body, problem)
		}
		if float64(status) != problem["status"] {
			t.Errorf("status %d", status)
		}
	}
	for name, value := range c.Expected.Headers {
		expected[name] = value
	}
	for name, value := range expected {
		if got := header.Get(name); got != value {
			t.Errorf("%s: %q, expected %q", name, got, value)
		}
	}
	for _, name := range []string{"www-authenticate", "retry-after", "ratelimit-policy", "ratelimit"} {
		if _, named := expected[name]; !named && header.Get(name) != "" {
			t.Errorf("%s: %q, expected none", name, header.Get(name))
		}
	}
}

func (c verdictCase) checkError(t *testing.T, failure error) {
	var unavailable *UnavailableError
	var rejected *RejectedError
	expected := c.Expected.Error
	switch {
	case errors.As(failure, &unavailable):
		if expected.Kind != "unavailable" || unavailable.Status != expected.Status ||
			unavailable.RetryAfter != time.Duration(expected.RetryAfterSeconds)*time.Second {
			t.Errorf("error: %+v, expected %+v", unavailable, expected)
		}
	case errors.As(failure, &rejected):
		if expected.Kind != "rejected" || rejected.Status != expected.Status {
			t.Errorf("error: %+v, expected %+v", rejected, expected)
		}
	case failure != nil || expected.Kind != "":
		t.Errorf("error: %v, expected %+v", failure, expected)
	}
}

type signatureCase struct {
	Name  string
	Input struct {
		Method, URL      string
		Headers          map[string]string
		Body             *string
		KeyID            string
		SigningSecret    string
		Created, Expires int64
		Nonce            string
	}
	Expected struct {
		Headers map[string]string
		Error   bool
	}
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func TestSignaturesFollowTheConformanceVectors(t *testing.T) {
	file := vectors[struct{ Cases []signatureCase }](t, "signatures.json")
	if len(file.Cases) < 30 {
		t.Fatalf("there are only %d cases", len(file.Cases))
	}
	for _, one := range file.Cases {
		one := one
		t.Run(one.Name, func(t *testing.T) {
			input := one.Input
			lifetime := input.Expires - input.Created
			if one.Expected.Error && (len(input.Nonce) != 22 || lifetime < 1 || lifetime > 300 || input.Method == "") {
				t.Skip("SigningTransport chooses nonce and lifetime, and no method means GET")
			}
			header, err := one.sign()
			if one.Expected.Error {
				if err == nil {
					t.Fatal("was signed")
				}
				if input.KeyID != "" && strings.Contains(err.Error(), input.KeyID) || strings.Contains(err.Error(), input.SigningSecret) {
					t.Error("the error repeats a value")
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			got := map[string]string{}
			for _, name := range []string{"Content-Digest", "Signature-Input", "Signature"} {
				if header.Get(name) != "" {
					got[strings.ToLower(name)] = header.Get(name)
				}
			}
			for name, value := range input.Headers {
				if got[strings.ToLower(name)] == value {
					delete(got, strings.ToLower(name))
				}
			}
			expected := map[string]string{}
			for name, value := range one.Expected.Headers {
				if input.Headers["Content-Digest"] == "" || name != "content-digest" {
					expected[name] = value
				}
			}
			if !reflect.DeepEqual(got, expected) {
				t.Errorf("got %v, expected %v", got, expected)
			}
		})
	}
}

// sign returns the header that SigningTransport sends.
func (c signatureCase) sign() (http.Header, error) {
	var sent http.Header
	transport, err := NewSigningTransport(SigningOptions{
		APIKey: "lk_live_4fJx81Qz_secret", KeyID: c.Input.KeyID, SigningSecret: c.Input.SigningSecret,
		Now: func() time.Time { return time.Unix(c.Input.Created, 0) },
		Base: roundTripper(func(r *http.Request) (*http.Response, error) {
			sent = r.Header
			return httptest.NewRecorder().Result(), nil
		}),
	})
	if err != nil {
		return nil, err
	}
	transport.nonce = func() (string, error) { return c.Input.Nonce, nil }
	transport.lifetimeSeconds = c.Input.Expires - c.Input.Created
	var body io.Reader
	if c.Input.Body != nil {
		// Not a strings.Reader, for which http.NewRequest makes no body of an empty text.
		body = io.MultiReader(strings.NewReader(*c.Input.Body))
	}
	request, err := http.NewRequest(c.Input.Method, c.Input.URL, body)
	if err != nil {
		return nil, err
	}
	for name, value := range c.Input.Headers {
		request.Header.Set(name, value)
	}
	_, err = transport.RoundTrip(request)
	return sent, err
}

func TestKeyLocationsFollowTheConformanceVectors(t *testing.T) {
	file := vectors[struct {
		Cases []struct {
			Name  string
			Input struct {
				Locations string
				Headers   []field
			}
			Expected struct {
				Key, Ambiguous, Challenge, Instruction string
				Missing, Invalid                       bool
			}
		}
	}](t, "key-locations.json")
	if len(file.Cases) < 50 {
		t.Fatalf("there are only %d cases", len(file.Cases))
	}
	for _, one := range file.Cases {
		one := one
		t.Run(one.Name, func(t *testing.T) {
			expected := one.Expected
			options := Options{Verifier: accepting(), KeyLocations: strings.Split(one.Input.Locations, ",")}
			guard, err := newGuard(options)
			if expected.Invalid != (err != nil) {
				t.Fatalf("error: %v", err)
			}
			if expected.Invalid {
				return
			}
			if expected.Challenge != "" {
				if guard.challenge != expected.Challenge || guard.instruction != expected.Instruction {
					t.Errorf("guard: %+v", guard)
				}
				return
			}
			key, code, problem := guard.presentedKey(headerOf(one.Input.Headers))
			if key != expected.Key {
				t.Errorf("key %q", key)
			}
			if expected.Missing {
				expected.Ambiguous = "Send it as " + guard.instruction + "."
			}
			if expected.Ambiguous != "" && (code != unauthenticated || problem != expected.Ambiguous) {
				t.Errorf("code %s, problem %q", code, problem)
			}
		})
	}
}

func TestSourcesFollowTheConformanceVectors(t *testing.T) {
	file := vectors[struct {
		Cases []struct {
			Name  string
			Input struct {
				Peer           *string
				Headers        []field
				TrustedProxies []string
			}
			Expected struct{ Source string }
		}
	}](t, "sources.json")
	if len(file.Cases) < 30 {
		t.Fatalf("there are only %d cases", len(file.Cases))
	}
	for _, one := range file.Cases {
		one := one
		t.Run(one.Name, func(t *testing.T) {
			var trusted []netip.Prefix
			for _, text := range one.Input.TrustedProxies {
				if !strings.Contains(text, "/") {
					address := netip.MustParseAddr(text)
					text += "/" + strconv.Itoa(address.BitLen())
				}
				trusted = append(trusted, netip.MustParsePrefix(text))
			}
			received := &http.Request{RemoteAddr: "@", Header: headerOf(one.Input.Headers)}
			if one.Input.Peer != nil {
				received.RemoteAddr = net.JoinHostPort(*one.Input.Peer, "51234")
			}
			if source := sourceOf(received, trusted); source != one.Expected.Source {
				t.Errorf("source %q", source)
			}
		})
	}
}

type responseFile struct {
	Cases []struct {
		Name     string
		Input    struct{ Response string }
		Expected struct {
			Valid      bool
			AcceptedBy []string
		}
	}
}

func TestResponsesFollowTheConformanceVectors(t *testing.T) {
	file := vectors[responseFile](t, "responses.json")
	if len(file.Cases) < 70 {
		t.Fatalf("there are only %d cases", len(file.Cases))
	}
	body, err := json.Marshal(vectors[verdictFile](t, "verdicts.json").Verdict)
	if err != nil {
		t.Fatal(err)
	}
	values := strings.NewReplacer("{body}", string(body), "{cutBody}", string(body[:len(body)-1]),
		"{length}", strconv.Itoa(len(body)), "{hexLength}", strconv.FormatInt(int64(len(body)), 16))
	for _, one := range file.Cases {
		one := one
		t.Run(one.Name, func(t *testing.T) {
			// Each character is a byte.
			var response []byte
			for _, char := range values.Replace(one.Input.Response) {
				response = append(response, byte(char))
			}
			port := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				io.Copy(io.Discard, r.Body)
				connection, _, _ := w.(http.Hijacker).Hijack()
				defer connection.Close()
				connection.Write(response)
			}))
			defer port.Close()
			verifier, err := NewVerifier(VerifierOptions{URL: port.URL, Timeout: 20 * time.Second})
			if err != nil {
				t.Fatal(err)
			}
			defer verifier.Close()
			verdict, err := verifier.Verify(context.Background(), Verification{Key: "lk_live_Abcd1234_secret"})
			var unavailable *UnavailableError
			if one.Expected.Valid && (err != nil || !verdict.Valid) {
				t.Errorf("got %v %v", verdict, err)
			}
			// net/http accepts some, in some versions.
			isOptional := len(one.Expected.AcceptedBy) > 0 && err == nil
			if !one.Expected.Valid && !isOptional && !errors.As(err, &unavailable) {
				t.Errorf("got %v %v, want no verdict", verdict, err)
			}
		})
	}
}
