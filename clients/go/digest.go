package latchkey

import (
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"errors"
	"io"
	"net/http"
	"strings"
)

// contentDigest returns the Content-Digest to sign: that of the header, which must match the body, or a new one. It is
// empty without a body.
func contentDigest(header http.Header, getBody bodyFunc) (digest string, length int64, err error) {
	body := io.NopCloser(strings.NewReader(""))
	if getBody != nil {
		if body, err = getBody(); err != nil {
			return "", 0, err
		}
	}
	defer body.Close()
	digests, length, err := digestsOf(body)
	if err != nil {
		return "", 0, err
	}
	if digest = strings.Join(header.Values("Content-Digest"), ", "); digest != "" {
		if !agrees(digest, digests) {
			return "", 0, errors.New("latchkey: Content-Digest must have the sha-256 or sha-512 of the body")
		}
	} else if getBody != nil {
		digest = digests[0]
	}
	return digest, length, nil
}

// agrees returns whether a Content-Digest has at least one of these digests, and no other with their algorithms.
func agrees(field string, digests []string) bool {
	known := false
	for _, member := range strings.Split(field, ",") {
		member = strings.Trim(member, " \t")
		for _, digest := range digests {
			if algorithm, _, _ := strings.Cut(digest, "="); strings.HasPrefix(member, algorithm) {
				if member != digest {
					return false
				}
				known = true
			}
		}
	}
	return known
}

// digestsOf returns the members of a Content-Digest value (RFC 9530) with sha-256 and sha-512, and the length.
func digestsOf(body io.Reader) (digests []string, length int64, err error) {
	short, long := sha256.New(), sha512.New()
	length, err = io.Copy(io.MultiWriter(short, long), body)
	encode := base64.StdEncoding.EncodeToString
	return []string{"sha-256=:" + encode(short.Sum(nil)) + ":", "sha-512=:" + encode(long.Sum(nil)) + ":"}, length, err
}
