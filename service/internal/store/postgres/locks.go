package postgres

import (
	"context"
	"strings"

	"github.com/chatsdk/chatsdk/service/internal/memory"
	"github.com/chatsdk/chatsdk/service/internal/store"
)

// The order of locks. A transaction that holds a lock on one line takes only locks of later
// lines, and locks of the same line in the order of their ids. Some transactions can't follow
// this order, because a foreign key or a sweep takes locks in another one. They may end in a
// deadlock, and are run again.
//
//  1. idempotency key: its row (take). A claim waits for a running transaction that has claimed
//     the same key. For changes of memories it comes after 5, because a transaction that holds
//     a key for something else never locks an owner's memories.
//  2. user: what a user has in total (lockUser), and its row of user_sends.
//  3. chat: its row. Transactions that add to the chat, end or replace an answer, name the chat,
//     or retell a stream hold it, so that positions, places and replacements happen one after
//     the other. Deleting the chat locks it exclusively. Storing what was found in one of its
//     messages holds it shared.
//  4. agent: whether its memory is on (lockAgent). Queueing a message holds it shared; turning
//     memory off holds it exclusively.
//  5. owner of memories: what an agent remembers of a user (lockOwner), for deciding, detecting
//     and erasing.
//  6. document: its row, then the row of its job.
//  7. stream: its row. Appending, parking and taking a stream need only this lock.
//  8. call: its row. A change of a call also holds its stream.
//
// No lock is of a whole project: a replica that hangs within a transaction stops what changes the
// same chat, user, agent or owner, and nobody else.
const (
	lockKindUser  = 1
	lockKindAgent = 2
	lockKindOwner = 3
	lockKindSteps = 4
	lockKindNamed = 5 // for Alone
)

const (
	lockAlone  = `SELECT pg_advisory_xact_lock(hashtextextended($1, $2))`
	lockShared = `SELECT pg_advisory_xact_lock_shared(hashtextextended($1, $2))`
)

// lock takes a lock that has no row of its own, until the transaction ends. Two names with the
// same hash share a lock, which only makes them wait.
func lock(ctx context.Context, tx store.Session, statement string, kind int64, names ...string) error {
	_, err := tx.Exec(ctx, statement, strings.Join(names, "\x1f"), kind)
	return err
}

func lockUser(ctx context.Context, tx store.Session, projectID, userID string) error {
	return lock(ctx, tx, lockAlone, lockKindUser, projectID, userID)
}

func lockOwner(ctx context.Context, tx store.Session, owner memory.Owner) error {
	return lock(ctx, tx, lockAlone, lockKindOwner, owner.ProjectID, owner.AgentID, owner.UserID)
}
