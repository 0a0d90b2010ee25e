package httpapi

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"io"
	"regexp"
	"slices"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/once"
)

// headerIdempotencyKey is wire.HeaderIdempotencyKey as http.Header writes it.
const headerIdempotencyKey = "Idempotency-Key"

var idempotencyKeys = regexp.MustCompile(`^[\x21-\x7e]{1,255}$`)

// key reads the request's Idempotency-Key, empty for none.
func (c *exchange) key() (string, error) {
	switch values := c.r.Header[headerIdempotencyKey]; {
	case len(values) == 0:
		return "", nil
	case len(values) > 1 || !idempotencyKeys.MatchString(values[0]):
		return "", invalid("idempotency-key must be one value of 1 to 255 visible ASCII characters", "idempotency-key")
	default:
		return values[0], nil
	}
}

var errKeyMissing = invalid("idempotency-key is missing; it names the request whose answer is to be stopped", "idempotency-key")

// keyed returns the request with its key. Two requests are the same if their route, the ids in
// their path, and their parts are the same.
func (c *exchange) keyed(key string, parts []digest) once.Request {
	request := once.Request{Key: key}
	if key == "" {
		return request
	}
	whole := []string{c.r.Method, c.route}
	for _, name := range sortedNames(c.path) {
		whole = append(whole, name, c.path[name])
	}
	slices.SortFunc(parts, func(a, b digest) int { return bytes.Compare(a[:], b[:]) })
	for _, part := range parts {
		whole = append(whole, string(part[:]))
	}
	request.Fingerprint = once.Fingerprint(digestOf(whole...))
	return request
}

func sortedNames(values map[string]string) []string {
	names := make([]string, 0, len(values))
	for name := range values {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// uncounted are fields that may differ in a repeat: they say how to answer, not what, or a client
// may have newer values for them in a retry.
var uncounted = []string{wire.FieldSkipStream, wire.FieldParentID, wire.FieldPageTools, wire.FieldToolCalls, wire.FieldReasoning}

// keyedJSON is keyed for a JSON body. White space and the order of fields don't count.
func (c *exchange) keyedJSON(key string, body object) (once.Request, error) {
	var parts []digest
	for name, text := range body {
		if slices.Contains(uncounted, name) {
			continue
		}
		var value any
		decoder := json.NewDecoder(bytes.NewReader(text))
		decoder.UseNumber() // so that long numbers stay exact
		if err := decoder.Decode(&value); err != nil {
			return once.Request{}, err
		}
		parts = append(parts, digestOf("field", name, string(encodeJSON(value))))
	}
	return c.keyed(key, parts), nil
}

// digest is the digest of a part of a request.
type digest [sha256.Size]byte

// digestOf hashes the texts together with their lengths, so that {"ab", "c"} and {"a", "bc"}
// differ.
func digestOf(texts ...string) digest {
	all := sha256.New()
	for _, text := range texts {
		all.Write(binary.AppendUvarint(nil, uint64(len(text))))
		_, _ = io.WriteString(all, text)
	}
	return digest(all.Sum(nil))
}

// replayed marks the answer to a repeat.
func (c *exchange) replayed(is bool) {
	if is {
		c.w.Header().Set(wire.HeaderReplayed, "true")
	}
}
