package sdk

import "strings"

const upperHex = "0123456789ABCDEF"

// appendEscaped percent-encodes a path segment: everything but the unreserved characters of RFC
// 3986, section 2.3. net/url would add 37 KB to the wasm.
func appendEscaped(text []byte, segment string) []byte {
	for i := range len(segment) {
		c := segment[i]
		if unreserved(c) {
			text = append(text, c)
		} else {
			text = append(text, '%', upperHex[c>>4], upperHex[c&15])
		}
	}
	return text
}

func unreserved(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || strings.IndexByte("-._~", c) >= 0
}
