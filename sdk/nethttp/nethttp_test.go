package nethttp_test

import (
	"context"
	"encoding/hex"
	"errors"
	"io"
	"net"
	"net/http"
	"strconv"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk"
	"github.com/chatsdk/chatsdk/sdk/nethttp"
	"github.com/chatsdk/chatsdk/sdk/wire"
)

// RFC 9110, section 10.2.3: a date, or seconds.
func TestRetryAfterMayBeADate(t *testing.T) {
	t.Parallel()
	for date, most := range map[string]time.Duration{
		time.Now().Add(time.Hour).UTC().Format(http.TimeFormat): time.Hour, time.Unix(0, 0).UTC().Format(http.TimeFormat): 0,
	} {
		address := serve(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Retry-After", date)
			w.WriteHeader(http.StatusTooManyRequests)
		})
		client, err := nethttp.NewClient(sdk.Config{BaseURL: address, ProjectID: "p1", AccessToken: "t", MaxRetries: -1})
		require.NoError(t, err)
		_, err = client.ListChats(t.Context(), sdk.ListChatsOptions{})
		var failure *sdk.APIError
		require.ErrorAs(t, err, &failure)
		require.LessOrEqual(t, failure.RetryAfter, most)
		require.Greater(t, failure.RetryAfter, most-time.Minute)
	}
}

func TestARequestArrivesUnchanged(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		call   func(context.Context, *sdk.Client) error
		method string
		uri    string
		body   string
		header map[string]string
	}{
		{"without a body", func(ctx context.Context, c *sdk.Client) error {
			_, err := c.GetChatHistory(ctx, "a/b ü?", sdk.GetChatHistoryOptions{})
			return err
		}, "GET", "/v1/project/p1/chat/a%2Fb%20%C3%BC%3F/all", "", map[string]string{"Content-Type": ""}},
		{"with a query", func(ctx context.Context, c *sdk.Client) error {
			_, err := c.ListChats(ctx, sdk.ListChatsOptions{Cursor: 7, Limit: 5})
			return err
		}, "GET", "/v1/project/p1/chat?cursor=7&limit=5", "", map[string]string{"Content-Type": ""}},
		{"with a body", func(ctx context.Context, c *sdk.Client) error { return c.UpdateChatName(ctx, "c1", "ü") },
			"POST", "/v1/chat/update/name", `{"project_id":"p1","chat_id":"c1","title":"ü"}`, map[string]string{"Content-Type": "application/json"}},
		{"with a body to delete", func(ctx context.Context, c *sdk.Client) error { return c.DeleteChat(ctx, "c1") },
			"DELETE", "/v1/chat/delete", `{"project_id":"p1","chat_id":"c1"}`, map[string]string{"Content-Type": "application/json"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			var got *http.Request
			var body []byte
			address := serve(t, func(w http.ResponseWriter, r *http.Request) {
				got = r
				body, _ = io.ReadAll(r.Body)
				answer(w, `{"messages":[],"chats":[]}`)
			})
			client, err := nethttp.NewClient(config(address + "/v1/"))
			require.NoError(t, err)
			require.NoError(t, test.call(limited(t), client))
			require.Equal(t, test.method, got.Method)
			require.Equal(t, test.uri, got.RequestURI)
			require.Equal(t, test.body, string(body))
			require.Equal(t, int64(len(test.body)), got.ContentLength)
			require.Equal(t, "Bearer token-1", got.Header.Get("Authorization"))
			require.Equal(t, "application/json", got.Header.Get("Accept"))
			for name, value := range test.header {
				require.Equal(t, value, got.Header.Get(name))
			}
		})
	}
}

func TestAResponseArrivesUnchanged(t *testing.T) {
	t.Parallel()
	client := talk(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("X-Request-Id", "r-1")
		w.Header().Set("Retry-After", "3")
		w.WriteHeader(http.StatusTooManyRequests)
		answer(w, `{"error":{"code":"RATE_LIMITED","message":"Slow down"}}`)
	})
	err := client.DeleteChat(limited(t), "c1")
	require.Equal(t, &sdk.APIError{Message: "Slow down", Status: 429, Code: wire.CodeRateLimited, RequestID: "r-1", RetryAfter: 3e9}, err)
}

func TestRedirectsAreRefused(t *testing.T) {
	t.Parallel()
	for _, status := range []int{301, 302, 303, 307, 308} {
		t.Run(strconv.Itoa(status), func(t *testing.T) {
			t.Parallel()
			elsewhere := serve(t, func(http.ResponseWriter, *http.Request) { t.Error("the redirect was followed") })
			from := serve(t, func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, elsewhere+r.URL.Path, status) })
			given := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return nil }}
			for _, transport := range []*nethttp.Transport{{}, {Client: given}} {
				config := config(from)
				config.Transport = transport
				client, err := nethttp.NewClient(config)
				require.NoError(t, err)
				for _, call := range []func(context.Context) error{
					func(ctx context.Context) error { return client.DeleteChat(ctx, "c1") },
					func(ctx context.Context) error { return client.UpdateChatName(ctx, "c1", "n") },
					func(ctx context.Context) error {
						_, err := client.ListAgents(ctx)
						return err
					},
				} {
					var failure *sdk.APIError
					require.ErrorAs(t, call(limited(t)), &failure)
					require.Equal(t, wire.CodeNetwork, failure.Code)
					require.ErrorContains(t, failure.Cause, "redirect")
					require.ErrorContains(t, failure.Cause, "BaseURL")
				}
			}
			require.NoError(t, given.CheckRedirect(nil, nil), "the given client is not changed")
		})
	}
}

func TestAServerThatIsNotThere(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	address := "http://" + listener.Addr().String()
	require.NoError(t, listener.Close())
	client, err := nethttp.NewClient(config(address))
	require.NoError(t, err)
	err = client.DeleteChat(limited(t), "c1")
	var failure *sdk.APIError
	require.ErrorAs(t, err, &failure)
	require.Equal(t, wire.CodeNetwork, failure.Code)
	require.Zero(t, failure.Status)
	var network *net.OpError
	require.ErrorAs(t, err, &network)
}

// round is an http.RoundTripper that is a function.
type round func(*http.Request) (*http.Response, error)

func (f round) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func TestTheGivenClientSends(t *testing.T) {
	t.Parallel()
	mine := errors.New("mine")
	given := &http.Client{Transport: round(func(*http.Request) (*http.Response, error) { return nil, mine })}
	config := config("http://api.example.com")
	config.Transport = &nethttp.Transport{Client: given}
	client, err := nethttp.NewClient(config)
	require.NoError(t, err)
	require.ErrorIs(t, client.DeleteChat(limited(t), "c1"), mine)
	require.Nil(t, given.CheckRedirect)
}

func TestNewClientKeepsWhatIsSet(t *testing.T) {
	t.Parallel()
	mine := errors.New("mine")
	client, err := nethttp.NewClient(sdk.Config{
		BaseURL: "http://api.example.com", ProjectID: "p1", APIKey: "key-1", APISecret: "0123456789abcdef0123456789abcdef",
		Transport: refusing{mine}, HMAC: func(context.Context, []byte, []byte) ([]byte, error) { return nil, mine },
	})
	require.NoError(t, err)
	require.ErrorIs(t, client.DeleteChat(t.Context(), "c1"), mine)
	_, err = client.CreateAccessToken(t.Context(), sdk.AccessTokenOptions{UserID: "u1"})
	require.ErrorIs(t, err, mine)
}

type refusing struct{ err error }

func (r refusing) Do(context.Context, *sdk.Request) (*sdk.Response, error) { return nil, r.err }

func TestNewClientMintsAccessTokens(t *testing.T) {
	t.Parallel()
	const secret = "0123456789abcdef0123456789abcdef"
	client, err := nethttp.NewClient(sdk.Config{BaseURL: "http://api.example.com", ProjectID: "p1", APIKey: "key-1", APISecret: secret})
	require.NoError(t, err)
	token, err := client.CreateAccessToken(t.Context(), sdk.AccessTokenOptions{UserID: "u1"})
	require.NoError(t, err)
	_, err = jwt.Parse(token.AccessToken, func(*jwt.Token) (any, error) { return []byte(secret), nil }, jwt.WithSubject("u1"))
	require.NoError(t, err)
}

func TestNewClientRefusesWhatIsWrong(t *testing.T) {
	t.Parallel()
	_, err := nethttp.NewClient(sdk.Config{})
	var wrong *sdk.ArgumentError
	require.ErrorAs(t, err, &wrong)
	require.Equal(t, "baseUrl", wrong.Field)
}

// The vectors are those of RFC 4231, sections 4.3 and 4.7.
func TestHMAC(t *testing.T) {
	t.Parallel()
	long := make([]byte, 131)
	for i := range long {
		long[i] = 0xaa
	}
	tests := []struct {
		name      string
		key, text string
		want      string
	}{
		{"a short key", "Jefe", "what do ya want for nothing?", "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"},
		{"a key longer than a block", string(long), "Test Using Larger Than Block-Size Key - Hash Key First", "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got, err := nethttp.HMAC(t.Context(), []byte(test.key), []byte(test.text))
			require.NoError(t, err)
			require.Equal(t, test.want, hex.EncodeToString(got))
		})
	}
}
