package chat

import (
	"crypto/rand"
	"strings"
)

// newID makes an id that cannot be guessed: 26 base32 characters, at least
// 128 random bits, behind a word that tells people what it names.
func newID(kind string) string {
	return kind + "_" + strings.ToLower(rand.Text())
}
