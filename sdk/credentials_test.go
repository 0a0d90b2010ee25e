package sdk_test

import (
	"context"
	"errors"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk"
	"github.com/chatsdk/chatsdk/sdk/nethttp"
	"github.com/chatsdk/chatsdk/sdk/wire"
)

// serverSecret has the shortest length that the service accepts.
const serverSecret = "0123456789abcdef0123456789abcdef"

func serverConfig() sdk.Config {
	return sdk.Config{
		BaseURL: "https://api.example.com", ProjectID: "p1", APIKey: "key-1", APISecret: serverSecret, HMAC: nethttp.HMAC,
	}
}

func giveToken(token string) func(context.Context) (string, error) {
	return func(context.Context) (string, error) { return token, nil }
}

// tokenConfig is a configuration that gets the token from function.
func tokenConfig(function func(context.Context) (string, error)) sdk.Config {
	config := pageConfig()
	config.AccessToken, config.AccessTokenFunc = "", function
	return config
}

func TestCredentials(t *testing.T) {
	t.Parallel()
	forUser := serverConfig()
	forUser.UserID = "u 1"
	tests := []struct {
		name   string
		config sdk.Config
		want   map[string]string
	}{
		{"an access token", pageConfig(), map[string]string{"authorization": "Bearer token-1"}},
		{"an access token from a function", tokenConfig(giveToken("token-2")), map[string]string{"authorization": "Bearer token-2"}},
		{"an API key", serverConfig(), map[string]string{"x-api-key": "key-1", "x-api-secret": serverSecret}},
		{"an API key for a user", forUser, map[string]string{"x-api-key": "key-1", "x-api-secret": serverSecret, "x-user-id": "u 1"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			client, script := open(t, test.config, jsonReply(`{"agents":[]}`))
			_, err := client.ListAgents(t.Context())
			require.NoError(t, err)
			test.want["accept"] = "application/json"
			require.Equal(t, test.want, script.requests[0].Header)
		})
	}
}

func TestTheTokenFunctionIsCalledOnce(t *testing.T) {
	t.Parallel()
	asked := 0
	client, script := open(t, tokenConfig(func(context.Context) (string, error) {
		asked++
		return "a", nil
	}), jsonReply(`{}`), jsonReply(`{}`))
	require.Zero(t, asked, "before any request")
	for range 2 {
		require.NoError(t, client.DeleteChat(t.Context(), "c1"))
	}
	require.Equal(t, 1, asked)
	require.Equal(t, "Bearer a", script.requests[1].Header["authorization"])
}

func TestATokenFunctionThatFails(t *testing.T) {
	t.Parallel()
	failure := errors.New("signed out")
	tests := []struct {
		name     string
		function func(context.Context) (string, error)
		cause    error
	}{
		{"with an error", func(context.Context) (string, error) { return "t", failure }, failure},
		{"with nothing", giveToken(""), nil},
		{"with blanks", giveToken("  "), nil},
		{"with a line end", giveToken("token\n"), nil},
		{"with non-ASCII characters", giveToken("tökén"), nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			client, script := open(t, tokenConfig(test.function))
			got := apiError(t, client.DeleteChat(t.Context(), "c1"))
			require.Equal(t, wire.CodeAuthentication, got.Code)
			require.Zero(t, got.Status)
			if test.cause != nil {
				require.Equal(t, test.cause, got.Cause)
			} else {
				require.IsType(t, &sdk.TokenError{}, got.Cause)
			}
			require.Contains(t, got.Message, "deleteChat: the accessToken function")
			require.Empty(t, script.requests)
		})
	}
}

func TestATokenFunctionWhoseContextEnds(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	client, script := open(t, tokenConfig(func(got context.Context) (string, error) {
		cancel()
		<-got.Done()
		return "", errors.New("given up")
	}))
	require.Equal(t, context.Canceled, client.DeleteChat(ctx, "c1"))
	require.Empty(t, script.requests)
}

func TestAClientServesManyGoroutines(t *testing.T) {
	t.Parallel()
	const calls = 50
	var replies []reply
	for range calls {
		replies = append(replies, jsonReply(`{"chats":[],"has_more":false}`))
	}
	client, script := open(t, tokenConfig(giveToken("t")), replies...)
	var group sync.WaitGroup
	errs := make([]error, calls)
	for i := range calls {
		group.Go(func() { _, errs[i] = client.ListChats(t.Context(), sdk.ListChatsOptions{}) })
	}
	group.Wait()
	require.NoError(t, errors.Join(errs...))
	require.Len(t, script.requests, calls)
}

func TestATokenFunctionThatCallsItsOwnClient(t *testing.T) {
	t.Parallel()
	var client *sdk.Client
	var told error
	config := tokenConfig(func(ctx context.Context) (string, error) {
		_, told = client.ListAgents(ctx)
		return "", told
	})
	client, script := open(t, config)
	_, err := client.ListChats(t.Context(), sdk.ListChatsOptions{})
	const problem = ": the accessToken function calls its own client, and would wait for itself; make another client for it"
	require.Equal(t, "listAgents"+problem, apiError(t, told).Message)
	require.Equal(t, "listChats"+problem, apiError(t, err).Message)
	require.Empty(t, script.requests)
}
