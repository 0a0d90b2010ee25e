// Package once makes requests that are repeated with the same Idempotency-Key count once. Begin
// with Request.
//
// Code that stores something for a request stores a UsedKey in the same transaction, as a proof that
// the request with this key was served. A later request with the key finds it,
// and is answered with what is stored about its subject.
package once

import (
	"context"
	"crypto/sha256"
	"errors"
	"time"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/fault"
)

// Lifetime is how long a key is kept. After it the key counts as unused, whether or not its UsedKey
// has been removed.
const Lifetime = 24 * time.Hour

// ErrTaken says that somebody has taken the key in the meantime. Nothing was stored, and Find
// returns the one that is valid.
var ErrTaken = errors.New("another request has taken the idempotency key in the meantime")

// ErrReused says that the key came with a different request.
var ErrReused = &fault.Error{
	Code: wire.CodeKeyReused, Message: "The idempotency key was already used with a different request; send a new key", Fields: []string{"idempotency-key"},
}

// ID is a key and the scope in which it is unique.
type ID struct {
	ProjectID string
	// UserID is the user who calls, empty for an API key that acts for no user.
	UserID string
	Key    string
}

// Fingerprint distinguishes requests, whatever the order of their fields.
type Fingerprint [sha256.Size]byte

// Request is a request with its key. The zero value has no key, and always counts as new.
type Request struct {
	Key         string
	Fingerprint Fingerprint
}

// UsedKey records what a request used its key for.
type UsedKey struct {
	ID
	Fingerprint Fingerprint
	// Subject is the id of the thing that was made or decided.
	Subject string
	// Result is what else the answer held, as JSON: ids, never text that a
	// user wrote. Empty means nothing.
	Result string
	// At is when it was claimed, in seconds since the Unix epoch.
	At float64
}

// Since returns the time before which used keys have expired.
func Since(now float64) float64 { return now - Lifetime.Seconds() }

// Store keeps used keys. They are stored in the same transaction as their subject.
type Store interface {
	// UsedKey returns a key that was used after a time.
	UsedKey(ctx context.Context, id ID, since float64) (used UsedKey, found bool, err error)
}

// Find returns the key as an earlier request used it that is the same. If it came with a different
// request, the error is ErrReused.
func (r Request) Find(ctx context.Context, store Store, projectID, userID string, now float64) (UsedKey, bool, error) {
	if r.Key == "" {
		return UsedKey{}, false, nil
	}
	used, found, err := store.UsedKey(ctx, ID{projectID, userID, r.Key}, Since(now))
	if err == nil && found && used.Fingerprint != r.Fingerprint {
		err = ErrReused
	}
	return used, found && err == nil, err
}

// Part returns a request for one part of what this one asks for. Its key contains a line end, so
// that no client can send it in a header.
func (r Request) Part(name string) Request {
	if r.Key == "" {
		return r
	}
	return Request{Key: r.Key + "\n" + name, Fingerprint: sha256.Sum256(append(r.Fingerprint[:], name...))}
}

// Use returns the key as this request uses it, nil if it has none.
func (r Request) Use(projectID, userID, subject string, at float64) *UsedKey {
	if r.Key == "" {
		return nil
	}
	return &UsedKey{ID: ID{projectID, userID, r.Key}, Fingerprint: r.Fingerprint, Subject: subject, At: at}
}
