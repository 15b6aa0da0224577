package latchkey

import (
	"bufio"
	"io"
	"net/http"
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
