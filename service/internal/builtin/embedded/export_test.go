package embedded

import "context"

// Take waits for a user's turn, and Leave ends it.
func Take(t *Turns, ctx context.Context, user string) error { return t.take(ctx, user) }
func Leave(t *Turns, user string)                           { t.leave(user) }
