package sdk

import (
	"hash/crc32"
	"strconv"

	"github.com/chatsdk/chatsdk/sdk/jsontext"
)

// transcript is the text of an answer so far. It grows in blocks: a slice would be copied each time
// it grows, and a wasm memory never returns what it has used.
type transcript struct {
	blocks [][]byte // all but the last are full
	length int
}

const (
	leastBlock = 512
	mostBlock  = 256 << 10
)

func (t *transcript) append(part []byte) {
	for len(part) > 0 {
		last := len(t.blocks) - 1
		if last < 0 || len(t.blocks[last]) == cap(t.blocks[last]) {
			t.blocks = append(t.blocks, make([]byte, 0, min(max(t.length, leastBlock), mostBlock)))
			last++
		}
		block := t.blocks[last]
		n := min(len(part), cap(block)-len(block))
		t.blocks[last] = append(block, part[:n]...)
		t.length += n
		part = part[n:]
	}
}

func (t *transcript) String() string {
	text := make([]byte, 0, t.length)
	for _, block := range t.blocks {
		text = append(text, block...)
	}
	return string(text)
}

// checksum is the CRC-32 (IEEE) as eight hex digits: a higher bit is set for the leading zeros, and
// then cut off.
func (t *transcript) checksum() string {
	sum := uint32(0)
	for _, block := range t.blocks {
		sum = crc32.Update(sum, crc32.IEEETable, block)
	}
	return strconv.FormatUint(1<<32|uint64(sum), 16)[1:]
}

// is reports whether the text equals a value's text.
func (t *transcript) is(v jsontext.Value) bool {
	left, block, same := t.blocks, []byte(nil), true
	v.Runs(func(part []byte) {
		for len(part) > 0 && same {
			if len(block) == 0 {
				if same = len(left) > 0; same {
					block, left = left[0], left[1:]
				}
				continue
			}
			n := min(len(part), len(block))
			same = string(part[:n]) == string(block[:n])
			part, block = part[n:], block[n:]
		}
	})
	return same && len(block) == 0 && len(left) == 0
}

// before reports whether a text begins with the transcript, and returns the rest.
func (t *transcript) before(text string) (rest string, ok bool) {
	for _, block := range t.blocks {
		if len(text) < len(block) || text[:len(block)] != string(block) {
			return "", false
		}
		text = text[len(block):]
	}
	return text, true
}
