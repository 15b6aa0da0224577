package latchkey

import (
	"time"
)

// readVerdict fails closed: anything but a well-formed verdict that meets the requirements of the call is an error.
func readVerdict(value any, verifier called, required Verification) (Verdict, error) {
	body, _ := value.(map[string]any)
	verdict, ok := parseVerdict(body)
	switch {
	case !ok:
		return Verdict{}, unavailable(verifier.origin, "its answer is not a verdict")
	case verdict.Valid && required.Env != "" && verdict.Key.Env != required.Env:
		return Verdict{}, unavailable(verifier.origin, "its answer is for another environment")
	case verdict.Valid && !verdict.Key.HasScopes(required.Scopes...):
		return Verdict{}, unavailable(verifier.origin, "its answer is for other scopes")
	}
	return verdict, nil
}

// parseVerdict checks every field. An answer that contradicts itself or has a code of a newer service is not ok.
func parseVerdict(body map[string]any) (Verdict, bool) {
	text, _ := body["code"].(string)
	code := Code(text)
	valid, ok := body["valid"].(bool)
	if _, known := rejections[code]; !ok || valid == known || valid != (code == Valid) {
		return Verdict{}, false
	}
	fields := &reader{body: body, complete: valid, ok: true}
	key := Key{
		ID:         fields.text("keyId"),
		TeamID:     fields.text("teamId"),
		Name:       fields.text("name"),
		Env:        fields.oneOf("env", "live", "test"),
		Prefix:     fields.text("prefix"),
		ExpiresAt:  fields.time("expiresAt"),
		Secret:     fields.secret(),
		Scopes:     fields.texts("scopes"),
		ExternalID: fields.optionalText("externalId"),
		Metadata:   fields.object("metadata"),
	}
	if !fields.ok {
		return Verdict{}, false
	}
	return Verdict{Valid: valid, Code: code, Key: key}, true
}

// reader reads the fields of an answer. A field of the wrong type, and a missing one, make it not ok.
type reader struct {
	body map[string]any
	// complete is whether fields that every key has must not be null.
	complete bool
	ok       bool
}

func (r *reader) text(name string) string {
	value, present := r.body[name]
	text, ok := value.(string)
	r.ok = r.ok && (ok || (present && value == nil && !r.complete))
	return text
}

func (r *reader) oneOf(name string, values ...string) string {
	text := r.text(name)
	known := text == "" && r.body[name] == nil
	for _, value := range values {
		known = known || text == value
	}
	r.ok = r.ok && known
	return text
}

func (r *reader) time(name string) time.Time {
	value, present := r.body[name]
	if value == nil {
		r.ok = r.ok && present
		return time.Time{}
	}
	text, _ := value.(string)
	moment, err := time.Parse(time.RFC3339, text)
	r.ok = r.ok && err == nil
	return moment
}

// Older versions of the service do not send the fields below.

func (r *reader) secret() string {
	if _, present := r.body["secret"]; present {
		return r.oneOf("secret", "current", "previous")
	}
	if r.body["keyId"] == nil {
		return ""
	}
	return "current"
}

func (r *reader) texts(name string) []string {
	value, present := r.body[name]
	list, ok := value.([]any)
	r.ok = r.ok && (ok || !present)
	texts := make([]string, len(list))
	for i, entry := range list {
		texts[i], ok = entry.(string)
		r.ok = r.ok && ok
	}
	return texts
}

func (r *reader) optionalText(name string) string {
	text, ok := r.body[name].(string)
	r.ok = r.ok && (ok || r.body[name] == nil)
	return text
}

func (r *reader) object(name string) map[string]any {
	object, ok := r.body[name].(map[string]any)
	r.ok = r.ok && (ok || r.body[name] == nil) && isShallow(object, 8)
	return object
}

// isShallow limits the nesting of metadata as the service does, so that recursive functions of the caller can read it.
func isShallow(value any, depth int) bool {
	var members []any
	switch parent := value.(type) {
	case map[string]any:
		for _, member := range parent {
			members = append(members, member)
		}
	case []any:
		members = parent
	default:
		return true
	}
	for _, member := range members {
		if !isShallow(member, depth-1) {
			return false
		}
	}
	return depth > 0
}
