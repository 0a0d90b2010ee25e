package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/access"
	"github.com/chatsdk/chatsdk/service/internal/chat"
	"github.com/chatsdk/chatsdk/service/internal/images"
	"github.com/chatsdk/chatsdk/service/internal/knowledge"
	"github.com/chatsdk/chatsdk/service/internal/knowledge/read"
	"github.com/chatsdk/chatsdk/service/internal/knowledge/split"
	"github.com/chatsdk/chatsdk/service/internal/memory"
	"github.com/chatsdk/chatsdk/service/internal/store/sqlite"
	"github.com/chatsdk/chatsdk/service/internal/stream"
	"github.com/chatsdk/chatsdk/service/internal/toolcall"
)

// scale is the size of what is stored and deleted; the benchmark takes the limits.
type scale struct {
	fileBytes, textBytes   int // of a document
	images, imageBytes     int
	messages, messageBytes int // of a chat
	calls                  int // of an answer
	argumentBytes          int // of a call
	resultBytes            int
	memories               int // of a user
	open                   int // memories of a user that are approved, and that are pending
}

var limits = scale{
	fileBytes: 25 << 20, textBytes: read.MaxText - 1024, images: 10, imageBytes: 10 << 20,
	messages: 10_000, messageBytes: 2000, calls: chat.DefaultToolCalls, argumentBytes: 64 << 10, resultBytes: toolcall.MaxResult,
	memories: 10_000, open: 1000,
}

// writerHeld prints for how long operations at their limits hold the one writer.
func writerHeld(ctx context.Context, folder string, to io.Writer) error {
	return heldBy(ctx, folder, to, limits)
}

var (
	writerScope  = access.Scope{ProjectID: "project", UserID: "ann"}
	writerOwner  = memory.Owner{ProjectID: "project", AgentID: "assistant", UserID: "ann"}
	crowdedOwner = memory.Owner{ProjectID: "project", AgentID: "assistant", UserID: "bob"}
)

// heldBy works in memory if the system has a folder for that: then fsync isn't
// counted.
func heldBy(ctx context.Context, folder string, to io.Writer, scale scale) (err error) {
	place := "on the disk, fsync included"
	if inMemory, err := os.MkdirTemp("/dev/shm", "chatsdk-bench-*"); err == nil {
		defer func() { _ = os.RemoveAll(inMemory) }()
		folder, place = inMemory, "without fsync"
	}
	store, err := sqlite.Open(ctx, filepath.Join(folder, "bench.db"))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	if _, err := fmt.Fprintf(to, "\nThe writer, %s: milliseconds\n\n%-44s %12s %12s\n", place, "", "held at most", "in all"); err != nil {
		return err
	}
	w := writerBench{store: store, scale: scale}
	for _, operation := range []struct {
		name string
		do   func(context.Context) error
	}{
		{fmt.Sprintf("a document of %d MiB is uploaded", scale.fileBytes>>20), w.addDocument},
		{fmt.Sprintf("its text of %d KiB is indexed", scale.textBytes>>10), w.finishDocument},
		{"it is deleted", w.deleteDocument},
		{fmt.Sprintf("a message with %d images of %d MiB", scale.images, scale.imageBytes>>20), w.sendImages},
		{fmt.Sprintf("a chat of %d messages is filled", scale.messages), w.fillChat},
		{"it is deleted, with the images", w.deleteChat},
		{fmt.Sprintf("a round makes %d calls of %d KiB", scale.calls, scale.argumentBytes>>10), w.parkCalls},
		{fmt.Sprintf("each gets its result of %d KiB", scale.resultBytes>>10), w.settleCalls},
		{"they are deleted with their chat", w.endCalls},
		{fmt.Sprintf("a user gets %d memories approved, %d pending", scale.open, scale.open), w.fillOpen},
		{"50 findings of a message are compared with them", w.detect},
		{fmt.Sprintf("a user gets %d memories, 50 at once", scale.memories), w.fillMemories},
		{"they are erased", w.eraseMemories},
	} {
		store.Held()
		all, err := took(func() error { return operation.do(ctx) })
		if err != nil {
			return fmt.Errorf("%s: %w", operation.name, err)
		}
		ms := func(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
		if _, err := fmt.Fprintf(to, "%-44s %12.1f %12.0f\n", operation.name, ms(store.Held()), ms(all)); err != nil {
			return err
		}
	}
	return nil
}

type writerBench struct {
	store *sqlite.Store
	scale scale
}

func (w writerBench) addDocument(ctx context.Context) error {
	d := knowledge.Document{Key: "doc", ProjectID: "project", UserID: "ann", Name: "d.md", Title: "d", Kind: read.Markdown,
		Status: wire.DocumentQueued, Size: int64(w.scale.fileBytes), CreatedAt: 1}
	return w.store.AddDocument(ctx, d, bytes.Repeat([]byte("x"), w.scale.fileBytes), nil)
}

// finishDocument indexes a text in which no word occurs twice: the worst for an
// index.
func (w writerBench) finishDocument(ctx context.Context) error {
	var text strings.Builder
	for n := uint64(0); text.Len() < w.scale.textBytes; n++ {
		text.WriteString(word(n))
		text.WriteString([]string{" ", " ", " ", " ", " ", " ", ".\n\n"}[n%7])
	}
	d, err := read.Bytes("d.md", []byte(text.String()))
	if err != nil {
		return err
	}
	return w.store.FinishDocument(ctx, "doc", d, split.Passages(d))
}

func (w writerBench) deleteDocument(ctx context.Context) error {
	if err := w.store.DeleteDocuments(ctx, "project", []string{"doc"}, 2); err != nil {
		return err
	}
	return w.store.Sweep(ctx, 0, 0)
}

// turn is the turn with a number.
func (w writerBench) turn(n int) chat.Turn {
	text := strings.Repeat("Words of a message. ", w.scale.messageBytes/20)
	return chat.Turn{
		StreamID: fmt.Sprint("stream", n),
		Question: wire.Message{ID: fmt.Sprint("q", n), ChatID: "chat", Role: wire.RoleUser, Content: text},
		Answer:   wire.Message{ID: fmt.Sprint("a", n), ChatID: "chat", Role: wire.RoleAssistant, Content: text, FinishReason: wire.FinishStop},
		Events:   []chat.Event{{ID: 1, Type: wire.EventStart, Data: []byte("{}")}},
	}
}

func (w writerBench) sendImages(ctx context.Context) error {
	if err := w.store.CreateChat(ctx, writerScope, wire.Chat{ChatID: "chat", Name: "N"}, nil); err != nil {
		return err
	}
	turn := w.turn(0)
	for n := range w.scale.images {
		content := bytes.Repeat([]byte("x"), w.scale.imageBytes)
		turn.Images = append(turn.Images, images.File{
			Image:   images.Image{ID: fmt.Sprint("img", n), MediaType: "image/png", Width: 1, Height: 1, Size: len(content)},
			Content: content,
		})
	}
	return w.store.BeginTurn(ctx, writerScope, turn)
}

func (w writerBench) fillChat(ctx context.Context) error {
	for n := 1; n < w.scale.messages/2; n++ {
		turn := w.turn(n)
		if err := w.store.BeginTurn(ctx, writerScope, turn); err != nil {
			return err
		}
		last := []chat.Event{{ID: 2, Type: wire.EventChunk, Data: []byte(`{"text":"x"}`)}}
		if err := w.store.EndTurn(ctx, stream.Lease{StreamID: turn.StreamID, Epoch: 1}, turn.Answer, &chat.End{At: 1, Events: last}); err != nil {
			return err
		}
	}
	return nil
}

func (w writerBench) deleteChat(ctx context.Context) error {
	if err := w.store.DeleteChat(ctx, writerScope, "chat", 2); err != nil {
		return err
	}
	return w.store.Sweep(ctx, 0, 0)
}

// fill adds memories of an owner, 50 at once.
func (w writerBench) fill(ctx context.Context, owner memory.Owner, count int, one func(n int) wire.Memory) error {
	for n := 0; n < count; n += 50 {
		err := w.store.ChangeMemories(ctx, owner, "", func(memory.State) (changes memory.Changes, err error) {
			for i := n; i < n+50; i++ {
				changes.Added = append(changes.Added, one(i))
			}
			return changes, nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func (w writerBench) fillMemories(ctx context.Context) error {
	trigger := strings.Repeat("I have some apples. ", 100)
	return w.fill(ctx, writerOwner, w.scale.memories, func(n int) wire.Memory {
		return wire.Memory{
			ID: fmt.Sprint("mem", n), MemoryContent: fmt.Sprint("User has ", n, " apples"), MemoryType: wire.MemoryFact, Status: wire.MemoryRejected,
			RejectReason: wire.RejectedSuperseded, SourceMessageID: "gone", TriggeringMessage: trigger, Span: &wire.Span{Start: 0, End: 5},
		}
	})
}

// findings are 50 of a message, all new.
type findings struct{}

func (findings) Detect(context.Context, string, []string) (all []memory.Finding, err error) {
	for n := range 50 {
		content := fmt.Sprintf("User built bridge%d in town%d with sister%d", n, n, n)
		all = append(all, memory.Finding{Type: wire.MemoryFact, Content: content, Confidence: 0.9, Start: 0, End: 5})
	}
	return all, nil
}

func (w writerBench) fillOpen(ctx context.Context) error {
	now := float64(time.Now().Unix())
	return w.fill(ctx, crowdedOwner, 2*w.scale.open, func(n int) wire.Memory {
		one := wire.Memory{
			ID: fmt.Sprint("open", n), MemoryContent: fmt.Sprintf("User keeps %d red birds of kind%d in a house by lake%d", n, n, n),
			MemoryType: wire.MemoryFact, ConfidenceScore: 0.9, Status: wire.MemoryPending, CreatedAt: now, UpdatedAt: now, ExpiresAt: now + 1000,
		}
		if n < w.scale.open {
			one.Status, one.ApprovedAt, one.ExpiresAt = wire.MemoryApproved, now, 0
		}
		return one
	})
}

// detect examines a message until nothing is queued.
func (w writerBench) detect(ctx context.Context) error {
	on, most := true, w.scale.open
	service := memory.New(memory.Config{
		Store: w.store, Detector: findings{}, Agents: []string{"assistant"}, HashKey: bytes.Repeat([]byte("k"), 32),
		Defaults: map[string]wire.MemorySettings{"assistant": {MemoryEnabled: &on, MaxMemories: &most}},
	})
	turn := w.turn(0)
	turn.StreamID, turn.NewChat = "examined", &wire.Chat{ChatID: "bobs", Name: "N"}
	turn.Question.ID, turn.Question.ChatID, turn.Answer.ID, turn.Answer.ChatID = "bobs-q", "bobs", "bobs-a", "bobs"
	turn.Question.Content = "I built some bridges"
	turn.Examine = &chat.Examine{AgentID: "assistant", Enabled: true}
	if err := w.store.BeginTurn(ctx, access.Scope{ProjectID: "project", UserID: "bob"}, turn); err != nil {
		return err
	}
	if err := w.store.EndTurn(ctx, stream.Lease{StreamID: turn.StreamID, Epoch: 1}, turn.Answer, &chat.End{At: 1}); err != nil {
		return err
	}
	ctx, end := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		service.Run(ctx)
	}()
	defer func() {
		end()
		<-done
	}()
	for {
		if left, err := service.Backlog(ctx); err != nil || left == 0 {
			return err
		}
		time.Sleep(10 * time.Millisecond)
	}
}

func (w writerBench) eraseMemories(ctx context.Context) error {
	if _, err := w.store.DeleteMemories(ctx, writerOwner, memory.Receipt{By: "bench", At: 2}); err != nil {
		return err
	}
	return w.store.Sweep(ctx, 0, 0)
}
