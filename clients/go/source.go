package latchkey

import (
	"net"
	"net/http"
	"net/netip"
	"regexp"
	"strings"
)

// sourceOf returns the IP address of the caller, or an empty text if it is not known.
//
// Only trusted proxies are believed: each appends the address that it saw to X-Forwarded-For, so the caller is the last
// address that is not one of theirs. Everything before it was written by the caller.
func sourceOf(request *http.Request, trusted []netip.Prefix) string {
	peer, _, _ := net.SplitHostPort(request.RemoteAddr)
	source, ok := parseReported(peer)
	forwarded := strings.Split(strings.Join(request.Header.Values("X-Forwarded-For"), ","), ",")
	for i := len(forwarded) - 1; ok && i >= 0 && isTrusted(source, trusted); i-- {
		if text := strings.Trim(forwarded[i], " \t"); text != "" {
			source, ok = parseReported(text)
		}
	}
	if !ok {
		return ""
	}
	return source.String()
}

const maxReportedBytes = 512

var (
	// A node name of RFC 7239, section 6.
	reportedNode = regexp.MustCompile(`^(?:\[([^\[\]]*)\]|([0-9.]+))(?::(?:[0-9]{1,5}|_[0-9A-Za-z_.-]+))?$`)
	parameter    = regexp.MustCompile(`^[ \t]*([0-9A-Za-z_-]+)=("[^"\\]*"|[^\s",\\]+)[ \t]*$`)
	quotedText   = regexp.MustCompile(`^"([^"\\]*)"$`)
	zone         = regexp.MustCompile(`%[0-9A-Za-z_.~-]+$`)
)

// parseReported parses an address as proxies report it: also with a port, brackets or a zone, and as an element of
// Forwarded (RFC 7239).
func parseReported(text string) (netip.Addr, bool) {
	plain, ok := parseAddress(text)
	if ok || len(text) > maxReportedBytes {
		return plain, ok
	}
	node := quotedText.ReplaceAllString(text, "$1")
	if strings.Contains(text, "=") {
		node = clientOf(text)
	}
	match := reportedNode.FindStringSubmatch(node)
	if match != nil && match[2] != "" {
		return parseAddress(match[2])
	}
	if match != nil {
		node = match[1]
	}
	if !strings.Contains(node, ":") {
		return netip.Addr{}, false
	}
	return parseAddress(zone.ReplaceAllString(node, ""))
}

// clientOf returns the parameter "for" of an element of Forwarded, or an empty text if there is not exactly one. An
// element in which another part is malformed is rejected: it can be the end of a quoted text with a comma, which a
// client has chosen.
func clientOf(element string) string {
	client := ""
	for _, text := range strings.Split(element, ";") {
		match := parameter.FindStringSubmatch(text)
		switch {
		case match == nil:
			return ""
		case strings.EqualFold(match[1], "for") && client != "":
			return ""
		case strings.EqualFold(match[1], "for"):
			client = quotedText.ReplaceAllString(match[2], "$1")
		}
	}
	return client
}

// parseAddress accepts no zone, which has a meaning on one machine only. It returns an IPv4-mapped IPv6 address as its
// IPv4 address, because servers that listen on :: get them.
func parseAddress(text string) (netip.Addr, bool) {
	address, err := netip.ParseAddr(text)
	return address.Unmap(), err == nil && address.Zone() == ""
}

func isTrusted(address netip.Addr, trusted []netip.Prefix) bool {
	for _, prefix := range trusted {
		if prefix.Contains(address) {
			return true
		}
	}
	return false
}
