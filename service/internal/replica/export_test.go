package replica

import (
	"context"

	"github.com/chatsdk/chatsdk/service/internal/stream"
)

// What the loops of Run do once, and what is notified.
func (r *Replica) Beat(ctx context.Context)                    { r.beat(ctx) }
func (r *Replica) Poll(ctx context.Context)                    { r.poll(ctx) }
func (r *Replica) Hear(payload string)                         { r.hear(payload) }
func Payloads(name string, all []stream.Hint) (texts []string) { return payloads(name, all) }
