package answering

import (
	"slices"
	"strings"
)

// tokens estimates how many tokens a text takes of a model's window: a token for each three bytes
// of UTF-8, rounded up.
func tokens(text string) int { return (len(text) + tokenBytes - 1) / tokenBytes }

const tokenBytes = 3

// ImageTokens is how many tokens of a window an image takes, whatever its size.
const ImageTokens = 512

// BytesOf returns how many bytes a text of this many tokens has at most.
func BytesOf(tokens int) int { return tokens * tokenBytes }

const partGap = "\n\n"

// joined joins the parts with blank lines, and skips empty ones.
func joined(parts ...string) string {
	parts = slices.DeleteFunc(parts, func(part string) bool { return part == "" })
	return strings.Join(parts, partGap)
}
