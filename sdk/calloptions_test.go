package sdk_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk"
	"github.com/chatsdk/chatsdk/sdk/wire"
)

func TestWithCallOptions(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		config := pageConfig()
		config.MaxRetries, config.RetryDelay = 5, -1
		var all, own entries
		config.Logger = all.add
		client, script := open(t, config, reply{hang: true}, reply{hang: true}, jsonReply(`{"chats":[]}`))
		ctx := sdk.WithCallOptions(t.Context(), sdk.CallOptions{Timeout: time.Second, MaxRetries: 1, Logger: own.add})
		begun := time.Now()
		_, err := client.ListChats(ctx, sdk.ListChatsOptions{})
		require.Equal(t, wire.CodeTimeout, apiError(t, err).Code)
		require.Equal(t, 2*time.Second, time.Since(begun))
		require.Len(t, script.requests, 2)
		require.Len(t, own.list, 2)
		_, err = client.ListChats(t.Context(), sdk.ListChatsOptions{})
		require.NoError(t, err)
		require.Len(t, own.list, 2, "other calls are the client's")
		require.Len(t, all.list, 3)
	})
}

func TestHeadersOfTheConfig(t *testing.T) {
	t.Parallel()
	config := pageConfig()
	config.Headers = map[string]string{"X-Tenant": "t1"}
	client, script := open(t, config, jsonReply(`{"agents":[]}`))
	_, err := client.ListAgents(t.Context())
	require.NoError(t, err)
	require.Equal(t, map[string]string{"accept": "application/json", "authorization": "Bearer token-1", "x-tenant": "t1"}, script.requests[0].Header)
}
