package latchkey

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

const theKey = "lk_live_4fJx81Qz_a-key-that-must-not-leak"

const validAnswer = `{"valid":true,"code":"VALID","keyId":"k","teamId":"t","name":"n","env":"live","prefix":"lk_live_4fJx81Qz",` +
	`"expiresAt":null,"secret":"current","scopes":["orders:read"],"externalId":null,"metadata":null}`

const revokedAnswer = `{"valid":false,"code":"REVOKED","keyId":"k","teamId":"t","name":"n","env":"live","prefix":"lk_live_4fJx81Qz",` +
	`"expiresAt":null,"secret":"current","scopes":[],"externalId":null,"metadata":null}`

// startPort starts a verification port and its client. They end with the test.
func startPort(t *testing.T, handler http.HandlerFunc) (*Verifier, *httptest.Server) {
	t.Helper()
	port := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		// Only a request whose body was read notices that the client is gone.
		body, _ := io.ReadAll(r.Body)
		r.Body = io.NopCloser(bytes.NewReader(body))
		handler(w, r)
	}))
	t.Cleanup(port.Close)
	return newVerifier(t, port.URL), port
}

func newVerifier(t *testing.T, url string) *Verifier {
	t.Helper()
	verifier, err := NewVerifier(VerifierOptions{URL: url, Token: "a-token-that-must-not-leak", Timeout: 30 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(verifier.Close)
	return verifier
}

func answering(text string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, text) }
}

// wantUnavailable fails for every other result, and if the error contains a secret.
func wantUnavailable(t *testing.T, verdict Verdict, err error) *UnavailableError {
	t.Helper()
	var unavailable *UnavailableError
	if verdict.Valid || !errors.As(err, &unavailable) {
		t.Fatalf("verdict %+v, error %v", verdict, err)
	}
	if text := fmt.Sprintf("%v %+v %#v", err, err, unavailable); strings.Contains(text, "must-not-leak") {
		t.Fatalf("the error contains a secret: %s", text)
	}
	return unavailable
}

func TestVerifySendsTheTokenAndTheQuestionAndNothingElse(t *testing.T) {
	verifier, _ := startPort(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if expected := `{"key":"` + theKey + `"}`; string(body) != expected {
			t.Errorf("body %s", body)
		}
		if r.Header.Get("Authorization") != "Bearer a-token-that-must-not-leak" {
			t.Error("no token")
		}
		if _, sent := r.Header["Idempotency-Key"]; sent {
			t.Error("the mark for http.Transport was sent")
		}
		io.WriteString(w, validAnswer)
	})
	verdict, err := verifier.Verify(context.Background(), Verification{Key: theKey})
	if err != nil || !verdict.Valid || verdict.Code != Valid || verdict.Key.ID != "k" {
		t.Fatalf("%+v, %v", verdict, err)
	}
}

func TestVerifyKeepsThePathOfTheURL(t *testing.T) {
	for _, path := range []string{"", "/", "/latchkey", "/latchkey/"} {
		_, port := startPort(t, func(w http.ResponseWriter, r *http.Request) {
			if r.URL.String() != strings.TrimSuffix(path, "/")+"/v1/verify" {
				t.Errorf("called %s", r.URL)
			}
			io.WriteString(w, validAnswer)
		})
		if _, err := newVerifier(t, port.URL+path).Verify(context.Background(), Verification{Key: theKey}); err != nil {
			t.Error(err)
		}
	}
}

func TestVerifyEndsAtItsTimeoutWhateverTheVerifierDoes(t *testing.T) {
	for name, handler := range map[string]http.HandlerFunc{
		"silent": func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() },
		"a byte once in a while": func(w http.ResponseWriter, r *http.Request) {
			for r.Context().Err() == nil {
				io.WriteString(w, " ")
				w.(http.Flusher).Flush()
				time.Sleep(time.Millisecond)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			_, port := startPort(t, handler)
			verifier, err := NewVerifier(VerifierOptions{URL: port.URL, Timeout: 50 * time.Millisecond})
			if err != nil {
				t.Fatal(err)
			}
			verdict, err := verifier.Verify(context.Background(), Verification{Key: theKey})
			wantUnavailable(t, verdict, err)
			if !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("error %v", err)
			}
		})
	}
}

func TestVerifyEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	verifier, _ := startPort(t, func(_ http.ResponseWriter, r *http.Request) {
		cancel()
		<-r.Context().Done()
	})
	verdict, err := verifier.Verify(ctx, Verification{Key: theKey})
	wantUnavailable(t, verdict, err)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

func TestVerifyDoesNotFollowRedirectsWithTheKey(t *testing.T) {
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("the target was called") }))
	defer elsewhere.Close()
	for _, status := range []int{301, 302, 303, 307, 308} {
		verifier, _ := startPort(t, func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, elsewhere.URL, status)
		})
		verdict, err := verifier.Verify(context.Background(), Verification{Key: theKey})
		if wantUnavailable(t, verdict, err).Status != status {
			t.Errorf("error %v", err)
		}
	}
}

func TestVerifyUsesNoProxyOfTheEnvironment(t *testing.T) {
	verifier, err := NewVerifier(VerifierOptions{})
	if err != nil {
		t.Fatal(err)
	}
	// Not by a request: net/http never uses a proxy of the environment for a loopback address.
	if transport, ok := verifier.client.Transport.(*http.Transport); !ok || transport.Proxy != nil {
		t.Error("a proxy would see all keys")
	}
}

func TestVerifyReadsNoMoreThanTheLimit(t *testing.T) {
	var written atomic.Int64
	verifier, _ := startPort(t, func(w http.ResponseWriter, r *http.Request) {
		for r.Context().Err() == nil {
			n, _ := w.Write(bytes.Repeat([]byte(" "), 1<<16))
			written.Add(int64(n))
		}
	})
	verdict, err := verifier.Verify(context.Background(), Verification{Key: theKey})
	if reason := wantUnavailable(t, verdict, err).Error(); !strings.Contains(reason, "too long") {
		t.Error(reason)
	}
}

func TestVerifyTrustsOnlyKnownCertificates(t *testing.T) {
	port := httptest.NewUnstartedServer(answering(validAnswer))
	// It reports each rejected handshake.
	port.Config.ErrorLog = log.New(io.Discard, "", 0)
	port.StartTLS()
	defer port.Close()
	verdict, err := newVerifier(t, port.URL).Verify(context.Background(), Verification{Key: theKey})
	if reason := wantUnavailable(t, verdict, err).Error(); !strings.Contains(reason, "certificate is not trusted") {
		t.Error(reason)
	}
	trusting, err := NewVerifier(VerifierOptions{URL: port.URL, Timeout: 30 * time.Second, Transport: port.Client().Transport})
	if err != nil {
		t.Fatal(err)
	}
	if verdict, err = trusting.Verify(context.Background(), Verification{Key: theKey}); err != nil || !verdict.Valid {
		t.Errorf("%+v, %v", verdict, err)
	}
}

func TestVerifyAcceptsNoCompressedAnswer(t *testing.T) {
	verifier, _ := startPort(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Accept-Encoding") != "" {
			t.Error("asked for compression")
		}
		w.Header().Set("Content-Encoding", "gzip")
		w.Write([]byte{0x1f, 0x8b, 8, 0})
	})
	verdict, err := verifier.Verify(context.Background(), Verification{Key: theKey})
	wantUnavailable(t, verdict, err)
}

func TestErrorsContainNoReceivedBytesAndNoSecrets(t *testing.T) {
	verifier, port := startPort(t, func(w http.ResponseWriter, _ *http.Request) {
		connection, _, _ := w.(http.Hijacker).Hijack()
		fmt.Fprintf(connection, "HTTP/1.1 200 OK\r\nbad header %s\r\n\r\n", theKey)
		connection.Close()
	})
	verdict, err := verifier.Verify(context.Background(), Verification{Key: theKey})
	wantUnavailable(t, verdict, err)
	port.Close()
	verdict, err = verifier.Verify(context.Background(), Verification{Key: theKey})
	if reason := wantUnavailable(t, verdict, err).Error(); !strings.Contains(reason, "connection refused") {
		t.Error(reason)
	}
	for _, value := range []any{verifier, Verification{Key: theKey}, &Verification{Key: theKey}, SigningOptions{APIKey: theKey}} {
		for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q"} {
			if text := fmt.Sprintf(verb, value); strings.Contains(text, "must-not-leak") {
				t.Errorf("%s prints %s", verb, text)
			}
		}
	}
}

func TestRejectedErrorsExplainTheMistakeWithoutSecrets(t *testing.T) {
	verifier, _ := startPort(t, func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(401)
		json.NewEncoder(w).Encode(object{"detail": "Not this one:\r\n a-token-that-must-not-leak\u2028" + theKey + strings.Repeat("x", 1000)})
	})
	_, err := verifier.Verify(context.Background(), Verification{Key: theKey})
	var rejected *RejectedError
	if !errors.As(err, &rejected) || rejected.Status != 401 {
		t.Fatal(err)
	}
	text := err.Error()
	if !strings.Contains(text, "Not this one:   [secret] [secret]xxx") || strings.ContainsAny(text, "\r\n\u2028") || len(text) > 700 {
		t.Error(text)
	}
}

func TestErrorsStayShortWhateverTheKeysAre(t *testing.T) {
	verifier, _ := startPort(t, func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(400)
		io.WriteString(w, `{"detail": "e longer"}`)
	})
	var verifications []Verification
	for i := 0; i < 50; i++ {
		verifications = append(verifications, Verification{Key: "e"}, Verification{Key: "longer"})
	}
	_, err := verifier.VerifyAll(context.Background(), verifications)
	if err == nil || !strings.HasSuffix(err.Error(), "400: [secret] [secret]") {
		t.Error(err)
	}
}

func TestVerifyAllReturnsTheVerdictsInOrderOrNone(t *testing.T) {
	answer := "[" + validAnswer + "," + revokedAnswer + "]"
	verifier, _ := startPort(t, func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, answer) })
	both := []Verification{{Key: "one"}, {Key: "two"}}
	verdicts, err := verifier.VerifyAll(context.Background(), both)
	if err != nil || len(verdicts) != 2 || !verdicts[0].Valid || verdicts[1].Code != Revoked || verdicts[1].Valid {
		t.Fatalf("%+v, %v", verdicts, err)
	}
	for _, bad := range []string{"[" + validAnswer + "]", validAnswer, "[" + validAnswer + ",{}]", "[" + validAnswer + ",null]", "{}"} {
		answer = bad
		verdicts, err := verifier.VerifyAll(context.Background(), both)
		if verdicts != nil {
			t.Errorf("%s: %+v", bad, verdicts)
		}
		wantUnavailable(t, Verdict{}, err)
	}
}

func TestNewVerifierRejectsInvalidOptionsWithoutTheToken(t *testing.T) {
	for _, options := range []VerifierOptions{
		{URL: "127.0.0.1:4001"}, {URL: "ftp://host"}, {URL: "http://"}, {URL: "http://me:secret@host"}, {URL: "http://a b"},
		{Token: "a token"}, {Token: "token\n"}, {Token: "tökén"}, {Timeout: -1},
	} {
		verifier, err := NewVerifier(options)
		if verifier != nil || err == nil {
			t.Errorf("%#v is accepted", options.URL)
			continue
		}
		if strings.Contains(err.Error(), "secret") || (options.Token != "" && strings.Contains(err.Error(), options.Token)) {
			t.Error(err)
		}
	}
}

func TestConcurrentVerificationsGetTheirOwnVerdictsOnKeptConnections(t *testing.T) {
	var connections atomic.Int64
	port := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var question Verification
		json.NewDecoder(r.Body).Decode(&question)
		io.WriteString(w, strings.Replace(validAnswer, `"keyId":"k"`, `"keyId":"id of `+question.Key+`"`, 1))
	}))
	port.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			connections.Add(1)
		}
	}
	port.Start()
	defer port.Close()
	verifier := newVerifier(t, port.URL)
	var all sync.WaitGroup
	for worker := 0; worker < 100; worker++ {
		all.Add(1)
		go func(worker int) {
			defer all.Done()
			for i := 0; i < 20; i++ {
				key := fmt.Sprintf("%d-%d", worker, i)
				verdict, err := verifier.Verify(context.Background(), Verification{Key: key})
				if err != nil || verdict.Key.ID != "id of "+key {
					t.Errorf("%s: %+v, %v", key, verdict, err)
				}
			}
		}(worker)
	}
	all.Wait()
	if opened := connections.Load(); opened > 200 {
		t.Errorf("%d connections for 2000 verifications", opened)
	}
}

// closingPort answers the first call on each connection, and closes the connection when the next one has arrived.
func closingPort(t *testing.T) (url string, calls *atomic.Int64) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	calls = new(atomic.Int64)
	go func() {
		for {
			connection, err := listener.Accept()
			if err != nil {
				return
			}
			go func() {
				defer connection.Close()
				reader := newRequestReader(connection)
				for i := 0; i < 2; i++ {
					if reader.next() != nil {
						return
					}
					calls.Add(1)
					if i == 0 {
						fmt.Fprintf(connection, "HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s", len(validAnswer), validAnswer)
					}
				}
			}()
		}
	}()
	return "http://" + listener.Addr().String(), calls
}

func TestAVerificationIsSentAgainIfAKeptConnectionWasClosed(t *testing.T) {
	url, calls := closingPort(t)
	verifier := newVerifier(t, url)
	for i := 1; i <= 2; i++ {
		if verdict, err := verifier.Verify(context.Background(), Verification{Key: theKey}); err != nil || !verdict.Valid {
			t.Fatalf("%+v, %v", verdict, err)
		}
	}
	if calls.Load() != 3 {
		t.Errorf("%d calls", calls.Load())
	}
}

func TestASignedVerificationThatMayHaveArrivedIsNotSentAgain(t *testing.T) {
	url, calls := closingPort(t)
	verifier := newVerifier(t, url)
	signed := Verification{Key: theKey, Request: &ReceivedRequest{Headers: map[string]string{"signature": "sig1=:AA==:"}}}
	if _, err := verifier.Verify(context.Background(), signed); err != nil {
		t.Fatal(err)
	}
	verdict, err := verifier.Verify(context.Background(), signed)
	wantUnavailable(t, verdict, err)
	if calls.Load() != 2 {
		t.Errorf("%d calls", calls.Load())
	}
}

func TestAVerificationIsNotSentAgainOnANewConnection(t *testing.T) {
	var calls atomic.Int64
	verifier, _ := startPort(t, func(w http.ResponseWriter, _ *http.Request) {
		calls.Add(1)
		connection, _, _ := w.(http.Hijacker).Hijack()
		connection.Close()
	})
	verdict, err := verifier.Verify(context.Background(), Verification{Key: theKey})
	wantUnavailable(t, verdict, err)
	if calls.Load() != 1 {
		t.Errorf("%d calls", calls.Load())
	}
}
