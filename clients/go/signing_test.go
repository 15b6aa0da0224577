package latchkey

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

var signer = SigningOptions{
	APIKey:        theKey,
	KeyID:         "0197a2b4-6c1e-7d3f-8a55-2f9b1c0d4e6a",
	SigningSecret: strings.Repeat("8f", 32),
}

func newSigningClient(t *testing.T, base http.RoundTripper) *http.Client {
	t.Helper()
	options := signer
	options.Base = base
	client, err := NewSigningClient(options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.CloseIdleConnections)
	return client
}

var nonceIn = regexp.MustCompile(`nonce="([^"]+)"`)

// noncesPort records the signatures of all requests. Each connection answers `answers` requests, sends only `last` when
// the next one has arrived, and closes.
func noncesPort(t *testing.T, answers int, last string) (url string, nonces func() []string) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	var mutex sync.Mutex
	var seen []string
	serve := func(connection net.Conn) {
		defer connection.Close()
		reader := newRequestReader(connection)
		for i := 0; reader.next() == nil; i++ {
			digests := digestsOf(reader.body)
			nonce := nonceIn.FindStringSubmatch(reader.last.Header.Get("Signature-Input"))
			if digest := reader.last.Header.Get("Content-Digest"); nonce == nil || (digest != "" && digest != digests[0]) {
				t.Errorf("header %v, body %q", reader.last.Header, reader.body)
				return
			}
			if te := reader.last.TransferEncoding; len(te) > 0 && reader.last.Header.Get("Content-Digest") == "" {
				t.Errorf("Transfer-Encoding %v announces a body, and no digest is signed", te)
			}
			mutex.Lock()
			seen = append(seen, nonce[1])
			mutex.Unlock()
			if i == answers {
				fmt.Fprint(connection, last)
				return
			}
			fmt.Fprint(connection, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
		}
	}
	go func() {
		for {
			connection, err := listener.Accept()
			if err != nil {
				return
			}
			go serve(connection)
		}
	}()
	return "http://" + listener.Addr().String(), func() []string {
		mutex.Lock()
		defer mutex.Unlock()
		return append([]string{}, seen...)
	}
}

func wantDistinct(t *testing.T, nonces []string, count int) {
	t.Helper()
	distinct := map[string]bool{}
	for _, nonce := range nonces {
		distinct[nonce] = true
	}
	if len(nonces) != count || len(distinct) != count {
		t.Errorf("nonces %q, expected %d", nonces, count)
	}
}

// send sends a request and reads the answer, so that the connection is kept.
func send(client *http.Client, method, url string, body io.Reader, headers ...string) error {
	request, err := http.NewRequest(method, url, body)
	if err != nil {
		return err
	}
	for i := 0; i < len(headers); i += 2 {
		request.Header.Set(headers[i], headers[i+1])
	}
	response, err := client.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	_, err = io.Copy(io.Discard, response.Body)
	return err
}

func TestARequestThatMayArriveTwiceIsSignedAnewAfterAKeptConnectionWasClosed(t *testing.T) {
	for name, one := range map[string]struct {
		method  string
		body    string
		headers []string
	}{
		"GET":                          {method: "GET"},
		"HEAD":                         {method: "HEAD"},
		"OPTIONS":                      {method: "OPTIONS"},
		"POST with an Idempotency-Key": {"POST", "{}", []string{"Idempotency-Key", "1"}},
		"POST with an Idempotency-Key without a body": {"POST", "", []string{"Idempotency-Key", "1"}},
	} {
		t.Run(name, func(t *testing.T) {
			url, nonces := noncesPort(t, 1, "")
			client := newSigningClient(t, new(http.Transport))
			for i := 0; i < 2; i++ {
				var body io.Reader
				if one.body != "" {
					body = strings.NewReader(one.body)
				}
				if err := send(client, one.method, url, body, one.headers...); err != nil {
					t.Fatal(err)
				}
			}
			wantDistinct(t, nonces(), 3)
		})
	}
}

func TestAPostThatMayHaveArrivedIsNotSentAgain(t *testing.T) {
	url, nonces := noncesPort(t, 1, "")
	client := newSigningClient(t, new(http.Transport))
	if err := send(client, "POST", url, strings.NewReader("{}")); err != nil {
		t.Fatal(err)
	}
	if err := send(client, "POST", url, strings.NewReader("{}")); err == nil {
		t.Error("no error")
	}
	wantDistinct(t, nonces(), 2)
}

func TestARequestIsNotSentAgainAfterTheFirstByteOfItsAnswer(t *testing.T) {
	url, nonces := noncesPort(t, 1, "HTTP/1.1 200 OK\r\nContent-")
	client := newSigningClient(t, new(http.Transport))
	if err := send(client, "GET", url, nil); err != nil {
		t.Fatal(err)
	}
	if err := send(client, "GET", url, nil); err == nil {
		t.Error("no error")
	}
	wantDistinct(t, nonces(), 2)
}

func TestARequestIsNotSentAgainOnANewConnection(t *testing.T) {
	url, nonces := noncesPort(t, 0, "")
	if err := send(newSigningClient(t, new(http.Transport)), "GET", url, nil); err == nil {
		t.Error("no error")
	}
	wantDistinct(t, nonces(), 1)
}

func TestBodiesWithoutGetBodyAreSignedToo(t *testing.T) {
	url, nonces := noncesPort(t, 100, "")
	client := newSigningClient(t, new(http.Transport))
	if err := send(client, "POST", url, io.MultiReader(strings.NewReader("a"), strings.NewReader("b"))); err != nil {
		t.Fatal(err)
	}
	wantDistinct(t, nonces(), 1)
}

func TestEveryConcurrentRequestHasASignatureOfItsOwn(t *testing.T) {
	url, nonces := noncesPort(t, 100, "")
	client := newSigningClient(t, new(http.Transport))
	var all sync.WaitGroup
	for i := 0; i < 50; i++ {
		all.Add(1)
		go func() {
			defer all.Done()
			if err := send(client, "POST", url, strings.NewReader("{}")); err != nil {
				t.Error(err)
			}
		}()
	}
	all.Wait()
	wantDistinct(t, nonces(), 50)
}

func TestRedirectsDoNotGetTheKey(t *testing.T) {
	var calls atomic.Int64
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { calls.Add(1) }))
	defer elsewhere.Close()
	redirecting := httptest.NewServer(http.RedirectHandler(elsewhere.URL, http.StatusTemporaryRedirect))
	defer redirecting.Close()
	client := newSigningClient(t, nil)
	response, err := client.Get(redirecting.URL)
	if err != nil || response.StatusCode != http.StatusTemporaryRedirect {
		t.Errorf("%v, %v", response, err)
	}
	// Also in a client that would follow them.
	following := &http.Client{Transport: client.Transport}
	if _, err := following.Get(redirecting.URL); err == nil || calls.Load() > 0 {
		t.Errorf("%v, %d calls", err, calls.Load())
	}
}

// closing is a body that notes whether it was closed.
type closing struct {
	io.Reader
	closed bool
}

func (c *closing) Close() error { c.closed = true; return nil }

func TestRoundTripLeavesTheRequestAsItIsAndClosesItsBody(t *testing.T) {
	for _, body := range []io.Reader{strings.NewReader("{}"), brokenReader{}} {
		closing := &closing{Reader: body}
		request, _ := http.NewRequest("POST", "http://api.example.com/orders", closing)
		request.Header.Set("Authorization", "Basic mine")
		base := roundTripper(func(r *http.Request) (*http.Response, error) { return httptest.NewRecorder().Result(), nil })
		newSigningClient(t, base).Transport.RoundTrip(request)
		if !closing.closed || len(request.Header) != 1 || request.Header.Get("Authorization") != "Basic mine" || request.Body != closing {
			t.Errorf("%+v", request)
		}
	}
}

type brokenReader struct{}

func (brokenReader) Read([]byte) (int, error) { return 0, errors.New("broken") }

func TestNothingIsSentIfABodyCannotBeRead(t *testing.T) {
	base := roundTripper(func(*http.Request) (*http.Response, error) { t.Error("was sent"); return nil, io.EOF })
	if err := send(newSigningClient(t, base), "POST", "http://api.example.com/", brokenReader{}); err == nil || !strings.Contains(err.Error(), "broken") {
		t.Error(err)
	}
}

func TestTheSignatureCoversTheHostThatIsSent(t *testing.T) {
	request, _ := http.NewRequest("GET", "http://127.0.0.1:8080/orders", nil)
	request.Host = "API.example.com:80"
	if base, _, err := targetOf(request); err != nil || !strings.Contains(base, "\"@authority\": api.example.com\n") {
		t.Errorf("%q, %v", base, err)
	}
}

func TestInvalidSigningOptionsAreRejectedWithoutTheirValues(t *testing.T) {
	for _, change := range []func(*SigningOptions){
		func(o *SigningOptions) { o.APIKey = "" }, func(o *SigningOptions) { o.APIKey = "a key" }, func(o *SigningOptions) { o.APIKey = "key\r\n" },
		func(o *SigningOptions) { o.KeyID = "" }, func(o *SigningOptions) { o.KeyID = o.APIKey }, func(o *SigningOptions) { o.KeyID = o.APIKey[:16] },
		func(o *SigningOptions) { o.SigningSecret = o.APIKey }, func(o *SigningOptions) { o.SigningSecret += "0" },
	} {
		options := signer
		change(&options)
		transport, err := NewSigningTransport(options)
		if transport != nil || err == nil || strings.Contains(err.Error(), "must-not-leak") || strings.Contains(err.Error(), "8f8f") {
			t.Errorf("%v, %v", transport, err)
		}
	}
	client := newSigningClient(t, nil)
	if text := fmt.Sprintf("%v %+v %#v", client.Transport, client, client.Transport); strings.Contains(text, "must-not-leak") || strings.Contains(text, "143 143") {
		t.Error(text)
	}
}
