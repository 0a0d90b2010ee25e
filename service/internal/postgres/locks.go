package postgres

import (
	"context"
	"strings"

	"github.com/chatsdk/chatsdk/service/internal/memory"
)

// The order of locks. Who holds one of a line takes only those of lines below it; within a
// line, by their ids in order. Transactions that need not follow it all the same, as those
// that a foreign key or a sweep leads elsewhere, may end in a deadlock, which is run again.
//
//  1. idempotency key: its row (take). A claim that meets one of a transaction that has
//     not ended waits for it. Of changes of memories it comes behind 5: who holds a key
//     for something else never asks for an owner's memories.
//  2. user: what a user has in total (lockUser), and its row of user_sends.
//  3. chat: its row. Who adds to it, ends or replaces an answer, names it, or tells a
//     stream again holds it, so that positions, places and replacements happen one after
//     the other; who deletes it takes it from all of them. Who stores what was found in
//     one of its messages holds it shared.
//  4. agent: whether its memory is on (lockAgent): shared by who puts a message into the
//     queue, alone for who turns it off.
//  5. owner of memories: what an agent remembers of a user (lockOwner): deciding,
//     detecting, erasing.
//  6. project: its counter's row (nextPlace), as late as possible: all chats of it wait.
//  7. document: its row, then that of its job.
//  8. stream: its row. Appending needs this one alone; so do parking it and taking it.
//  9. call: its row. Who changes one holds its stream.
const (
	lockKindUser  = 1
	lockKindAgent = 2
	lockKindOwner = 3
	lockKindSteps = 4
	lockKindNamed = 5 // of Alone, which holds it outside of any transaction
)

const (
	lockAlone  = `SELECT pg_advisory_xact_lock(hashtextextended($1, $2))`
	lockShared = `SELECT pg_advisory_xact_lock_shared(hashtextextended($1, $2))`
	// lockSession is held until the connection ends.
	lockSession = `SELECT pg_advisory_lock(hashtextextended($1, $2))`
)

// lock takes a lock that has no row of its own until the transaction ends. Two names that
// have one hash share it, which makes them wait and no more.
func lock(ctx context.Context, tx session, statement string, kind int64, names ...string) error {
	_, err := tx.exec(ctx, statement, strings.Join(names, "\x1f"), kind)
	return err
}

func lockUser(ctx context.Context, tx session, projectID, userID string) error {
	return lock(ctx, tx, lockAlone, lockKindUser, projectID, userID)
}

func lockOwner(ctx context.Context, tx session, owner memory.Owner) error {
	return lock(ctx, tx, lockAlone, lockKindOwner, owner.ProjectID, owner.AgentID, owner.UserID)
}
