package sdk_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk"
	"github.com/chatsdk/chatsdk/sdk/wire"
)

// entries collects the entries of a logger.
type entries struct {
	mutex sync.Mutex
	list  []sdk.LogEntry
}

func (e *entries) add(entry sdk.LogEntry) {
	e.mutex.Lock()
	defer e.mutex.Unlock()
	e.list = append(e.list, entry)
}

func TestEachRequestIsLogged(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var log entries
		config := tokenConfig((&counting{}).give)
		config.MaxRetries, config.RetryDelay, config.Logger = 2, -1, log.add
		replies := []reply{coded(401, wire.CodeTokenExpired), {err: errors.New("lost")}, proxied(503), jsonReply(`{"chats":[]}`)}
		for i := range replies {
			if replies[i].header == nil {
				replies[i].header = map[string]string{}
			}
			replies[i].header["x-request-id"] = fmt.Sprint("r", i)
		}
		config.BaseURL = "https://api.example.com/v1"
		client, _ := open(t, config, replies...)
		_, err := client.ListChats(t.Context(), sdk.ListChatsOptions{Limit: 7})
		require.NoError(t, err)
		entry := func(status int, code, id string) sdk.LogEntry {
			return sdk.LogEntry{Operation: "listChats", Method: "GET", Path: "/v1/project/p1/chat", Status: status, Code: code, RequestID: id}
		}
		require.Equal(t, []sdk.LogEntry{
			entry(401, wire.CodeTokenExpired, "r0"), entry(0, wire.CodeNetwork, ""), entry(503, "", "r2"), entry(200, "", "r3"),
		}, log.list)
	})
}

func TestALogEntryHasTheTimeToTheHeaders(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var log entries
		config := pageConfig()
		config.Logger = log.add
		inner := &script{replies: []reply{streamReply(stream(short()...))}}
		config.Transport = transportFunc(func(ctx context.Context, request *sdk.Request) (*sdk.Response, error) {
			time.Sleep(3 * time.Second)
			return inner.Do(ctx, request)
		})
		client, err := sdk.New(config)
		require.NoError(t, err)
		for _, err := range client.Stream(t.Context(), "hi", sdk.SendMessageOptions{}) {
			require.NoError(t, err)
			time.Sleep(time.Minute)
		}
		require.Equal(t, []sdk.LogEntry{{Operation: "sendMessageStream", Method: "POST", Path: "/v3/chat/message", Status: 200, RequestID: "r-1", Duration: 3 * time.Second}}, log.list)
	})
}

// A log must not contain the texts of conversations, credentials or queries.
func TestNoTextAndNoCredentialIsLogged(t *testing.T) {
	t.Parallel()
	for _, failed := range []func() reply{
		func() reply {
			return jsonReply(`{"message":{"content":"secret-word"},"memory":{},"chat_id":"secret-word"}`)
		},
		func() reply {
			return reply{status: 500, body: reads(`{"error":{"message":"secret-word","code":""},"detail":"secret-word"}`)}
		},
		func() reply { return reply{err: errors.New("secret-word")} },
	} {
		for _, kind := range []sdk.Config{pageConfig(), serverConfig()} {
			var log entries
			config := kind
			config.MaxRetries, config.RetryDelay, config.Logger = 1, -1, log.add
			if config.APIKey != "" {
				config.APIKey, config.APISecret = "secret-key", "secret-secret-secret-secret-secret"
			} else {
				config.AccessToken = "secret-token"
			}
			config.Transport = transportFunc(func(ctx context.Context, request *sdk.Request) (*sdk.Response, error) {
				return (&script{replies: []reply{failed()}}).Do(ctx, request)
			})
			client, err := sdk.New(config)
			require.NoError(t, err)
			_ = drain(client.Stream(t.Context(), "secret-word", sdk.SendMessageOptions{ExampleJSON: "secret-word", IdempotencyKey: "secret-key"}))
			others := methods()
			delete(others, "sendMessageStream") // this one fails when a callback is called
			for _, method := range others {
				_ = method(t.Context(), client, arguments{
					ChatID: "c1", MessageID: "m1", AgentID: "a1", UserID: "u1", MemoryID: "m1", DocumentKey: "d1", StreamID: "s1", Status: "pending",
					Message: "secret-word", NewName: "secret-word", IdempotencyKey: "secret-key",
				})
			}
			require.Greater(t, len(log.list), 20)
			require.NotContains(t, fmt.Sprintf("%+v", log.list), "secret")
			require.NotContains(t, fmt.Sprintf("%+v", log.list), "?")
		}
	}
}
