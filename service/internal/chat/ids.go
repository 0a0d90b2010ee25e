package chat

import (
	"crypto/rand"
	"strconv"
	"strings"
	"time"
)

// newID makes an id that cannot be guessed: 26 base32 characters, at least
// 128 random bits, behind a word that tells people what it names, and the time. Because of
// the time, new ids stand together in every index of a store, and fewer pages are written.
func newID(kind string) string {
	return kind + "_" + strconv.FormatInt(time.Now().UnixMilli(), 36) + strings.ToLower(rand.Text())
}
