package latchkey

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"
)

// requestReader reads the requests of a connection with their bodies.
type requestReader struct {
	buffered *bufio.Reader
	last     *http.Request
	body     []byte
}

func newRequestReader(connection io.Reader) *requestReader {
	return &requestReader{buffered: bufio.NewReader(connection)}
}

func (r *requestReader) next() (err error) {
	if r.last, err = http.ReadRequest(r.buffered); err != nil {
		return err
	}
	r.body, err = io.ReadAll(r.last.Body)
	return err
}

func dial(t *testing.T, server *httptest.Server) net.Conn {
	t.Helper()
	connection, err := net.Dial("tcp", server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { connection.Close() })
	return connection
}

func readAnswer(t *testing.T, connection net.Conn) (status int, body string) {
	t.Helper()
	response, err := http.ReadResponse(bufio.NewReader(connection), nil)
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, string(text)
}
