package latchkey

import (
	"fmt"
	"log"
	"net/http"
	"sync"
	"time"
)

// errorLog logs the first error, and then at most one per minute. During an outage, the log must not grow with the load.
type errorLog struct {
	mutex     sync.Mutex
	last      time.Time
	unwritten int
}

func (l *errorLog) write(_ *http.Request, err error) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	if !l.last.IsZero() && time.Since(l.last) < time.Minute {
		l.unwritten++
		return
	}
	others := ""
	if l.unwritten > 0 {
		others = fmt.Sprintf(" (and %d others since the last message)", l.unwritten)
	}
	log.Printf("latchkey: a request got 503%s, because its key could not be verified: %v", others, err)
	l.last, l.unwritten = time.Now(), 0
}
