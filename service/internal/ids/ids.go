// Package ids makes the ids of chats, messages, streams, calls and images.
package ids

import (
	"crypto/rand"
	"strconv"
	"strings"
	"time"
)

// New makes an id that cannot be guessed: a word that tells people what it names, the time, and
// at least 128 random bits, as 26 base32 characters or more. Because of the time, new ids are
// neighbours in every index of a store, and fewer pages are written.
func New(kind string) string {
	return kind + "_" + strconv.FormatInt(time.Now().UnixMilli(), 36) + strings.ToLower(rand.Text())
}
