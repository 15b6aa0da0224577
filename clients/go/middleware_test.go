package latchkey

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"strings"
	"testing"
	"time"
)

type verifyFunc func(context.Context, Verification) (Verdict, error)

func (f verifyFunc) Verify(ctx context.Context, verification Verification) (Verdict, error) {
	return f(ctx, verification)
}

// accepting is a verifier that accepts every key, with these scopes.
func accepting(scopes ...string) verifyFunc {
	return func(_ context.Context, verification Verification) (Verdict, error) {
		return Verdict{Valid: true, Code: Valid, Key: Key{ID: "id of " + verification.Key, Env: "live", Scopes: scopes}}, nil
	}
}

// protected is an API that answers with the id of the key.
func protected(t *testing.T, options Options, more ...Middleware) http.Handler {
	t.Helper()
	protect, err := RequireAPIKey(options)
	if err != nil {
		t.Fatal(err)
	}
	var handler http.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		key, _ := KeyFrom(r.Context())
		io.WriteString(w, key.ID)
	})
	for _, middleware := range more {
		handler = middleware(handler)
	}
	return protect(handler)
}

func ask(handler http.Handler, change func(*http.Request)) *httptest.ResponseRecorder {
	request := httptest.NewRequest("GET", "http://api.example.com/orders", nil)
	request.Header.Set("Authorization", "Bearer "+theKey)
	if change != nil {
		change(request)
	}
	recorder := httptest.NewRecorder()
	handler.ServeHTTP(recorder, request)
	return recorder
}

func TestNoErrorOfAVerifierLetsARequestThrough(t *testing.T) {
	for _, failure := range []error{&UnavailableError{RetryAfter: 7 * time.Second}, &RejectedError{Status: 401}, errors.New("a bug"), context.Canceled} {
		var reported error
		verify := verifyFunc(func(context.Context, Verification) (Verdict, error) {
			// Contradicts itself, because a verifier of the application can be wrong.
			return Verdict{Valid: true, Code: Valid}, failure
		})
		answer := ask(protected(t, Options{Verifier: verify, OnError: func(_ *http.Request, err error) { reported = err }}), nil)
		wait := map[bool]string{true: "7", false: "1"}[errors.As(failure, new(*UnavailableError))]
		if answer.Code != 503 || answer.Header().Get("Retry-After") != wait || reported != failure {
			t.Errorf("%v: %d %v, reported %v", failure, answer.Code, answer.Header(), reported)
		}
	}
}

func TestTheErrorsOfAnOutageAreLoggedOnceAMinute(t *testing.T) {
	var output bytes.Buffer
	log.SetOutput(&output)
	defer log.SetOutput(os.Stderr)
	verifier, port := startPort(t, answering(validAnswer))
	port.Close()
	handler := protected(t, Options{Verifier: verifier})
	for i := 0; i < 5; i++ {
		if answer := ask(handler, nil); answer.Code != 503 {
			t.Error(answer.Code)
		}
	}
	text := output.String()
	if strings.Count(text, "\n") != 1 || !strings.Contains(text, "connection refused") || strings.Contains(text, "must-not-leak") {
		t.Error(text)
	}
}

func TestARevokedKeyIsRejectedFromTheNextRequestOn(t *testing.T) {
	answer := validAnswer
	verifier, _ := startPort(t, func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, answer) })
	handler := protected(t, Options{Verifier: verifier})
	if got := ask(handler, nil); got.Code != 200 || got.Body.String() != "k" {
		t.Fatalf("%d %s", got.Code, got.Body)
	}
	answer = revokedAnswer
	if got := ask(handler, nil); got.Code != 401 {
		t.Errorf("%d", got.Code)
	}
}

func TestTheSourceIsThePeerUnlessItIsATrustedProxy(t *testing.T) {
	for _, one := range []struct{ trusted, expected string }{{"10.0.0.0/8", "192.0.2.1"}, {"192.0.2.0/24", "203.0.113.9"}} {
		var source string
		verify := verifyFunc(func(ctx context.Context, verification Verification) (Verdict, error) {
			source = verification.SourceIP
			return accepting()(ctx, verification)
		})
		trusted := []netip.Prefix{netip.MustParsePrefix(one.trusted)}
		// httptest's peer is 192.0.2.1.
		ask(protected(t, Options{Verifier: verify, TrustedProxies: trusted}), func(r *http.Request) {
			r.Header.Set("X-Forwarded-For", "198.51.100.1, 203.0.113.9")
		})
		if source != one.expected {
			t.Errorf("source %s", source)
		}
	}
}

func TestAnUnknownSourceIsExplained(t *testing.T) {
	verify := verifyFunc(func(context.Context, Verification) (Verdict, error) { return Verdict{Code: SourceNotAllowed}, nil })
	answer := ask(protected(t, Options{Verifier: verify}), func(r *http.Request) { r.RemoteAddr = "@" })
	if answer.Code != 403 || !strings.Contains(answer.Body.String(), sourceMissing) {
		t.Errorf("%d %s", answer.Code, answer.Body)
	}
}

func TestRequireScopesPassesOnlyKeysWithAllScopes(t *testing.T) {
	guard := RequireScopes("orders:read", "orders:write")
	options := Options{Verifier: accepting("orders:read", "orders:write"), ErrorsURL: "https://keys.example.com/errors"}
	if answer := ask(protected(t, options, guard), nil); answer.Code != 200 {
		t.Errorf("%d %s", answer.Code, answer.Body)
	}
	options.Verifier = accepting("orders:read", "orders:WRITE")
	answer := ask(protected(t, options, guard), nil)
	challenge := `Bearer error="insufficient_scope", scope="orders:read orders:write"`
	if answer.Code != 403 || answer.Header().Get("WWW-Authenticate") != challenge ||
		!strings.Contains(answer.Body.String(), `"type":"https://keys.example.com/errors#INSUFFICIENT_SCOPE"`) {
		t.Errorf("%d %v %s", answer.Code, answer.Header(), answer.Body)
	}
	options.KeyLocations = []string{"header:x-api-key", "authorization"}
	challenge = `ApiKey header="x-api-key", error="insufficient_scope", scope="orders:read orders:write"`
	if answer = ask(protected(t, options, guard), nil); answer.Header().Get("WWW-Authenticate") != challenge {
		t.Errorf("%v", answer.Header())
	}
}

func TestRequireScopesPanicsWithoutAKeyAndForInvalidScopes(t *testing.T) {
	panics := func(f func()) (panicked bool) {
		defer func() { panicked = recover() != nil }()
		f()
		return
	}
	for _, scopes := range [][]string{{}, {""}, {"a b"}, {`a"b`}, {"é"}, make([]string, 51)} {
		if !panics(func() { RequireScopes(scopes...) }) {
			t.Errorf("accepts %q", scopes)
		}
	}
	reached := http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("the handler was reached") })
	if !panics(func() { ask(RequireScopes("orders:read")(reached), nil) }) {
		t.Error("no panic without a key")
	}
}

func TestRequireAPIKeyRejectsInvalidOptions(t *testing.T) {
	verifier := accepting()
	for _, options := range []Options{
		{}, {Verifier: verifier, Env: "Live"}, {Verifier: verifier, Scopes: []string{"a b"}}, {Verifier: verifier, KeyLocations: []string{"query:key"}},
		{Verifier: verifier, Origin: "api.example.com"}, {Verifier: verifier, Origin: "https://api.example.com/"},
		{Verifier: verifier, Origin: "https://me@api.example.com"}, {Verifier: verifier, Origin: "ftp://api.example.com"}, {Verifier: verifier, BodyLimit: -1},
	} {
		if _, err := RequireAPIKey(options); err == nil {
			t.Errorf("%+v is accepted", options)
		}
	}
}

func TestAHeaderWithTheKeyIsReadAtItsPlaceOnlyAndOnce(t *testing.T) {
	handler := protected(t, Options{Verifier: accepting(), KeyLocations: []string{"header:x-api-key"}})
	set := func(fields ...string) *httptest.ResponseRecorder {
		return ask(handler, func(r *http.Request) {
			for i := 0; i < len(fields); i += 2 {
				r.Header[fields[i]] = append(r.Header[fields[i]], fields[i+1])
			}
		})
	}
	if answer := set("X-Api-Key", theKey); answer.Code != 200 || answer.Body.String() != "id of "+theKey {
		t.Errorf("%d %s", answer.Code, answer.Body)
	}
	if answer := set(); answer.Code != 401 || answer.Header().Get("WWW-Authenticate") != `ApiKey header="x-api-key"` {
		t.Errorf("%d %v", answer.Code, answer.Header())
	}
	for _, fields := range [][]string{{"X-Api-Key", theKey, "X-Api-Key", theKey}, {"X-Api-Key", theKey, "X_api_key", "other"}, {"X_Api-Key", theKey}} {
		if answer := set(fields...); answer.Code != 400 {
			t.Errorf("%q: %d %s", fields, answer.Code, answer.Body)
		}
	}
}

// signedPost sends a signed request over a connection, and returns the status.
func signedPost(t *testing.T, api http.Handler, text string) int {
	t.Helper()
	server := httptest.NewServer(api)
	defer server.Close()
	head := "Host: api.example.com\r\nAuthorization: Bearer " + theKey + "\r\nSignature: sig1=:AA==:\r\nConnection: close\r\n"
	connection := dial(t, server)
	fmt.Fprintf(connection, "POST /orders HTTP/1.1\r\n%s%s", head, text)
	status, _ := readAnswer(t, connection)
	return status
}

func TestTheBodyOfASignedRequestIsLimitedHoweverItIsSent(t *testing.T) {
	calls := 0
	verify := verifyFunc(func(ctx context.Context, verification Verification) (Verdict, error) {
		calls++
		return accepting()(ctx, verification)
	})
	handler := protected(t, Options{Verifier: verify, BodyLimit: 10})
	for _, text := range []string{
		"Content-Length: 11\r\n\r\n0123456789a",
		"Content-Length: 99999999999\r\n\r\n0123456789a",
		"Transfer-Encoding: chunked\r\n\r\nb\r\n0123456789a\r\n0\r\n\r\n",
	} {
		if status := signedPost(t, handler, text); status != 413 || calls != 0 {
			t.Errorf("%q: %d", text, status)
		}
	}
	if status := signedPost(t, handler, "Transfer-Encoding: chunked\r\n\r\nz\r\n"); status != 400 || calls != 0 {
		t.Errorf("malformed: %d", status)
	}
	if status := signedPost(t, handler, "Transfer-Encoding: chunked\r\n\r\na\r\n0123456789\r\n0\r\n\r\n"); status != 200 || calls != 1 {
		t.Errorf("at the limit: %d", status)
	}
}

func TestTheHandlerGetsTheSignedBytesAndTheVerifierTheirDigest(t *testing.T) {
	var received *ReceivedRequest
	verify := verifyFunc(func(ctx context.Context, verification Verification) (Verdict, error) {
		received = verification.Request
		return accepting()(ctx, verification)
	})
	protect, err := RequireAPIKey(Options{Verifier: verify})
	if err != nil {
		t.Fatal(err)
	}
	var body []byte
	handler := protect(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { body, _ = io.ReadAll(r.Body) }))
	if status := signedPost(t, handler, "Transfer-Encoding: chunked\r\n\r\n3\r\n\x00\xff\n\r\n0\r\n\r\n"); status != 200 {
		t.Fatal(status)
	}
	digests := digestsOf([]byte("\x00\xff\n"))
	if string(body) != "\x00\xff\n" || received.BodyDigest != strings.Join(digests, ", ") || received.Headers["transfer-encoding"] != "chunked" {
		t.Errorf("%q, %+v", body, received)
	}
}

func TestASignedRequestIsVerifiedWithTheTargetThatWasSent(t *testing.T) {
	var received *ReceivedRequest
	verify := verifyFunc(func(ctx context.Context, verification Verification) (Verdict, error) {
		received = verification.Request
		return accepting()(ctx, verification)
	})
	// Other middleware may change the URL of the request.
	server := httptest.NewServer(http.StripPrefix("/api", protected(t, Options{Verifier: verify})))
	defer server.Close()
	for target, host := range map[string]string{
		"/api/a%2Fb|c?d":                       "spoofed.example.com",
		"http://api.example.com/api/a%2Fb|c?d": "api.example.com",
	} {
		connection := dial(t, server)
		fmt.Fprintf(connection, "GET %s HTTP/1.1\r\nHost: spoofed.example.com\r\nAuthorization: Bearer x\r\nSignature: s\r\nConnection: close\r\n\r\n", target)
		readAnswer(t, connection)
		if received == nil || received.URL != "http://"+host+"/api/a%2Fb|c?d" || received.Headers["host"] != host {
			t.Errorf("%s: %+v", target, received)
		}
	}
}

func TestOverHTTP2ABodyWithoutALengthIsVerifiedAndLimitedToo(t *testing.T) {
	var received *ReceivedRequest
	verify := verifyFunc(func(ctx context.Context, verification Verification) (Verdict, error) {
		received = verification.Request
		return accepting()(ctx, verification)
	})
	server := httptest.NewUnstartedServer(protected(t, Options{Verifier: verify, BodyLimit: 10}))
	server.EnableHTTP2 = true
	server.StartTLS()
	defer server.Close()
	for body, status := range map[string]int{"0123456789": 200, "0123456789a": 413} {
		received = nil
		request, _ := http.NewRequest("POST", server.URL+"/orders", io.MultiReader(strings.NewReader(body)))
		request.Header.Set("Authorization", "Bearer "+theKey)
		request.Header.Set("Signature", "sig1=:AA==:")
		response, err := server.Client().Do(request)
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
		if response.ProtoMajor != 2 || response.StatusCode != status || (received != nil) != (status == 200) {
			t.Errorf("%s: %s %s, %+v", body, response.Proto, response.Status, received)
		}
		digests := digestsOf([]byte(body))
		if received != nil && (received.BodyDigest != strings.Join(digests, ", ") || received.URL != server.URL+"/orders") {
			t.Errorf("%+v", received)
		}
	}
}

func TestKeyFromHasNoKeyWithoutTheMiddleware(t *testing.T) {
	if key, ok := KeyFrom(context.Background()); ok || key.ID != "" {
		t.Errorf("%+v", key)
	}
}
