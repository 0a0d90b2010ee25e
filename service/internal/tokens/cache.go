package tokens

import (
	"hash/maphash"
	"sync"
)

const (
	// leastCached is how many bytes a text has that is worth a place in the cache: messages are counted in each turn of a chat.
	leastCached = 64
	// mostCached is how many counts each half of the cache has, about 1 MB.
	mostCached = 1 << 14
)

// cache keeps the counts of the texts that were counted last. When its newer half is full, the older one is dropped.
type cache struct {
	mu           sync.Mutex
	newer, older map[cacheKey]int
}

type cacheKey struct {
	family *family
	text   uint64 // a hash with a secret seed
}

var (
	counts = cache{newer: map[cacheKey]int{}}
	seed   = maphash.MakeSeed()
)

// count returns the count of a text, which it counts if the cache does not have it.
func (c *cache) count(family *family, text string, count func() int) int {
	if len(text) < leastCached {
		return count()
	}
	key := cacheKey{family, maphash.String(seed, text)}
	c.mu.Lock()
	n, known := c.newer[key]
	if !known {
		n, known = c.older[key]
	}
	c.mu.Unlock()
	if !known {
		n = count()
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.newer) >= mostCached {
		c.newer, c.older = map[cacheKey]int{}, c.newer
	}
	c.newer[key] = n
	return n
}
