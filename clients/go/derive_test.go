package latchkey

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"
	"time"
)

type deriveCase struct {
	Name  string
	Input struct {
		Derivation object
		Answer     struct {
			Status  int
			Headers map[string]string
			Text    string
		}
	}
	Expected struct {
		Call      object
		Token     string
		ExpiresAt time.Time
		Error     *struct {
			Kind              string
			Status            int
			RetryAfterSeconds int
		}
	}
}

func TestDerivationsFollowTheConformanceVectors(t *testing.T) {
	file := vectors[struct{ Cases []deriveCase }](t, "derive.json")
	if len(file.Cases) < 10 {
		t.Fatalf("there are only %d cases", len(file.Cases))
	}
	for _, one := range file.Cases {
		one := one
		t.Run(one.Name, func(t *testing.T) { one.run(t) })
	}
}

func (c deriveCase) run(t *testing.T) {
	var call object
	port := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := json.NewDecoder(r.Body).Decode(&call); err != nil || r.Method != "POST" || r.URL.Path != "/v1/derive" {
			t.Errorf("not a call: %s %s %v", r.Method, r.URL, err)
		}
		for name, value := range c.Input.Answer.Headers {
			w.Header().Set(name, value)
		}
		w.WriteHeader(c.Input.Answer.Status)
		fmt.Fprint(w, c.Input.Answer.Text)
	}))
	defer port.Close()
	verifier, err := NewVerifier(VerifierOptions{URL: port.URL, Timeout: 30 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	defer verifier.Close()
	var derivation Derivation
	text, _ := json.Marshal(c.Input.Derivation)
	if err := json.Unmarshal(text, &derivation); err != nil {
		t.Fatal(err)
	}
	derived, err := verifier.Derive(context.Background(), derivation)
	delete(call, "expiresAt")
	if !reflect.DeepEqual(call, c.Expected.Call) {
		t.Errorf("the call was %v", call)
	}
	if strings.Contains(fmt.Sprint(err, derivation, derived), derivation.Key) {
		t.Error("the key leaked")
	}
	if c.Expected.Error == nil {
		if err != nil || derived.Token != c.Expected.Token || !derived.ExpiresAt.Equal(c.Expected.ExpiresAt) {
			t.Errorf("derived %q until %v, %v", derived.Token, derived.ExpiresAt, err)
		}
		return
	}
	switch failure := err.(type) {
	case *RejectedError:
		if c.Expected.Error.Kind != "rejected" || failure.Status != c.Expected.Error.Status {
			t.Errorf("rejected with %d", failure.Status)
		}
	case *UnavailableError:
		wanted := time.Duration(c.Expected.Error.RetryAfterSeconds) * time.Second
		if c.Expected.Error.Kind != "unavailable" || failure.Status != c.Expected.Error.Status || failure.RetryAfter != wanted {
			t.Errorf("unavailable with %d, %v", failure.Status, failure.RetryAfter)
		}
	default:
		t.Errorf("no error of this package: %v", err)
	}
}
