// Package once lets a request that is repeated with its Idempotency-Key count
// once. Begin with Request.
//
// Who stores something for a request stores a Claim in the same transaction:
// it is the key's proof that the request was served. A later request with the
// key finds the claim, and is answered with what is stored of its subject.
package once

import (
	"context"
	"crypto/sha256"
	"errors"
	"time"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/fault"
)

// Lifetime is how long a key is kept. That it is gone then is a fact of the
// clock, whether or not its claim has been swept away.
const Lifetime = 24 * time.Hour

// ErrTaken is a claim on a key that somebody has taken meanwhile. Nothing was
// stored, and Find gives the claim that holds.
var ErrTaken = errors.New("the idempotency key was taken meanwhile")

// ErrReused is a key that came with another request.
var ErrReused = &fault.Error{
	Code: wire.CodeKeyReused, Message: "The idempotency key came with another request before; take a new one", Fields: []string{"idempotency-key"},
}

// ID is a key with those within whom it counts.
type ID struct {
	ProjectID string
	// UserID is the user who calls, empty for an API key that acts for nobody.
	UserID string
	Key    string
}

// Fingerprint tells requests apart, whatever the order of their fields.
type Fingerprint [sha256.Size]byte

// Request is a request with its key. The zero value has none, and is new each
// time that it comes.
type Request struct {
	Key         string
	Fingerprint Fingerprint
}

// Claim is what a request took its key for.
type Claim struct {
	ID
	Fingerprint Fingerprint
	// Subject is the id of what was made or decided.
	Subject string
	// Result is what the answer held beside its subject, as JSON: ids, and
	// never anybody's words. Empty means nothing.
	Result string
	// At is when it was claimed, in seconds since the Unix epoch.
	At float64
}

// Since is the time at which older claims have ended.
func Since(now float64) float64 { return now - Lifetime.Seconds() }

// Store keeps claims. Claims are made in the transactions of what they claim.
type Store interface {
	// Claimed gives the claim on a key that was made after a time.
	Claimed(ctx context.Context, id ID, since float64) (claim Claim, found bool, err error)
}

// Find gives the claim of an earlier one of the same request. A key that came
// with another request is ErrReused.
func (r Request) Find(ctx context.Context, store Store, projectID, userID string, now float64) (Claim, bool, error) {
	if r.Key == "" {
		return Claim{}, false, nil
	}
	claim, found, err := store.Claimed(ctx, ID{projectID, userID, r.Key}, Since(now))
	if err == nil && found && claim.Fingerprint != r.Fingerprint {
		err = ErrReused
	}
	return claim, found && err == nil, err
}

// Part is a request for one of the things that this one asks for, with a key of its own
// that nobody can send: a header has no line ends.
func (r Request) Part(name string) Request {
	if r.Key == "" {
		return r
	}
	return Request{Key: r.Key + "\n" + name, Fingerprint: sha256.Sum256(append(r.Fingerprint[:], name...))}
}

// Claim is the claim that this request makes, nil if it has no key.
func (r Request) Claim(projectID, userID, subject string, at float64) *Claim {
	if r.Key == "" {
		return nil
	}
	return &Claim{ID: ID{projectID, userID, r.Key}, Fingerprint: r.Fingerprint, Subject: subject, At: at}
}
