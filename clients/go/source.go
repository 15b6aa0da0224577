package latchkey

import (
	"net"
	"net/http"
	"net/netip"
	"strings"
)

// sourceOf returns the IP address of the caller, or an empty text if it is not known.
//
// Only trusted proxies are believed: each appends the address that it saw to X-Forwarded-For, so the caller is the last
// address that is not one of theirs. Everything before it was written by the caller.
func sourceOf(request *http.Request, trusted []netip.Prefix) string {
	peer, _, _ := net.SplitHostPort(request.RemoteAddr)
	source, ok := parseAddress(peer)
	forwarded := strings.Split(strings.Join(request.Header.Values("X-Forwarded-For"), ","), ",")
	for i := len(forwarded) - 1; ok && i >= 0 && isTrusted(source, trusted); i-- {
		if text := strings.Trim(forwarded[i], " \t"); text != "" {
			source, ok = parseAddress(text)
		}
	}
	if !ok {
		return ""
	}
	return source.String()
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
