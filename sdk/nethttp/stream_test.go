package nethttp_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk"
	"github.com/chatsdk/chatsdk/sdk/wire"
)

// events writes events and flushes them.
func events(w http.ResponseWriter, list ...string) {
	w.Header().Set("Content-Type", "text/event-stream")
	for i := 0; i < len(list); i += 2 {
		fmt.Fprintf(w, "event: %s\ndata: %s\n\n", list[i], list[i+1])
	}
	if err := http.NewResponseController(w).Flush(); err != nil {
		panic(err)
	}
}

const (
	startData    = `{"stream_id":"s1","chat_id":"c1","message_id":"m2","user_message_id":"m1"}`
	completeData = `{"message":{"id":"m2","chat_id":"c1","content":"ab","finish_reason":"stop"},"chunks":2,"bytes":2,"crc32":"9e83486d"}`
)

// The server writes each event only after the client has read the previous one.
func TestEventsAreReadAsTheyAreWritten(t *testing.T) {
	t.Parallel()
	written := []string{"start", startData, "chunk", `{"text":"a"}`, "chunk", `{"text":"b"}`, "complete", completeData, "end", "{}"}
	read := make(chan struct{})
	client := talk(t, func(w http.ResponseWriter, r *http.Request) {
		for i := 0; i < len(written); i += 2 {
			events(w, written[i:i+2]...)
			select {
			case <-read:
			case <-r.Context().Done():
				return
			}
		}
	})
	var types []string
	for event, err := range client.Stream(limited(t), "hi", sdk.SendMessageOptions{}) {
		require.NoError(t, err)
		types = append(types, event.Type)
		read <- struct{}{}
	}
	require.Equal(t, []string{"start", "chunk", "chunk", "complete", "end"}, types)
}

func TestACutConnectionIsNotAnEnd(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		end  func()
	}{
		{"politely", func() {}},
		{"in the middle", func() { panic(http.ErrAbortHandler) }},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			client := talk(t, func(w http.ResponseWriter, _ *http.Request) {
				events(w, "start", startData, "chunk", `{"text":"a"}`)
				test.end()
			})
			var failure *sdk.APIError
			require.ErrorAs(t, client.SendMessageStream(limited(t), "hi", sdk.SendMessageStreamOptions{}), &failure)
			require.Equal(t, wire.CodeStreamCut, failure.Code)
			require.ErrorIs(t, failure, io.ErrUnexpectedEOF)
		})
	}
}

func TestCancellationEndsAWaitForHeaders(t *testing.T) {
	leakFree(t)
	arrived := make(chan struct{})
	client := talk(t, func(_ http.ResponseWriter, r *http.Request) {
		close(arrived)
		<-r.Context().Done()
	})
	ctx, cancel := context.WithCancel(limited(t))
	go func() {
		<-arrived
		cancel()
	}()
	_, err := client.ListAgents(ctx)
	require.Equal(t, context.Canceled, err)
}

func TestCancellationEndsARead(t *testing.T) {
	leakFree(t)
	gone := make(chan struct{})
	client := talk(t, func(w http.ResponseWriter, r *http.Request) {
		events(w, "start", startData)
		<-r.Context().Done()
		close(gone)
	})
	ctx, cancel := context.WithCancel(limited(t))
	defer cancel()
	var errs []error
	for event, err := range client.Stream(ctx, "hi", sdk.SendMessageOptions{}) {
		if err != nil {
			errs = append(errs, err)
			continue
		}
		require.Equal(t, wire.EventStart, event.Type)
		cancel()
	}
	require.Equal(t, []error{context.Canceled}, errs)
	<-gone
}

func TestLeavingAStreamClosesItsConnection(t *testing.T) {
	leakFree(t)
	gone := make(chan struct{})
	client := talk(t, func(w http.ResponseWriter, r *http.Request) {
		events(w, "start", startData)
		<-r.Context().Done()
		close(gone)
	})
	for event, err := range client.Stream(limited(t), "hi", sdk.SendMessageOptions{}) {
		require.NoError(t, err)
		require.Equal(t, wire.EventStart, event.Type)
		break
	}
	<-gone
}
