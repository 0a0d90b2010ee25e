//go:build !js

package sdk_test

import (
	"context"
	"encoding/json"
	"errors"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk"
	"github.com/chatsdk/chatsdk/sdk/wire"
)

func init() {
	serverMethods["createAccessToken"] = func(ctx context.Context, c *sdk.Client, a arguments) error {
		_, err := c.CreateAccessToken(ctx, sdk.AccessTokenOptions{
			UserID: a.UserID, Role: a.Role, ExpiresIn: time.Duration(a.ExpiresIn) * time.Second,
		})
		return err
	}
}

// bubbleStart is when the clock of every synctest bubble begins, in seconds.
const bubbleStart = 946684800

// verified returns the claims of a token that golang-jwt accepts now.
func verified(t *testing.T, token string) jwt.MapClaims {
	t.Helper()
	parsed, err := jwt.Parse(token, func(*jwt.Token) (any, error) { return []byte(serverSecret), nil },
		jwt.WithValidMethods([]string{"HS256"}), jwt.WithExpirationRequired(), jwt.WithIssuedAt(),
		jwt.WithIssuer("key-1"), jwt.WithAudience("p1"), jwt.WithStrictDecoding(), jwt.WithJSONNumber())
	require.NoError(t, err)
	require.True(t, parsed.Valid)
	require.Equal(t, map[string]any{"alg": "HS256", "typ": "JWT"}, parsed.Header)
	return parsed.Claims.(jwt.MapClaims)
}

func TestCreateAccessToken(t *testing.T) {
	t.Parallel()
	second := func(n int) json.Number { return json.Number(strconv.Itoa(bubbleStart + n)) }
	tests := []struct {
		name    string
		options sdk.AccessTokenOptions
		expires int
		want    jwt.MapClaims
	}{
		{"for a user", sdk.AccessTokenOptions{UserID: "u1"}, 3600, jwt.MapClaims{"sub": "u1"}},
		{"of the ordinary role", sdk.AccessTokenOptions{UserID: "u1", Role: wire.RoleOrdinary}, 3600, jwt.MapClaims{"sub": "u1", "role": "user"}},
		{"for an administrator", sdk.AccessTokenOptions{UserID: "u1", Role: wire.RoleAdmin}, 3600, jwt.MapClaims{"sub": "u1", "role": "admin"}},
		{"for some agents", sdk.AccessTokenOptions{UserID: "u1", Agents: []string{"a", "b\""}}, 3600, jwt.MapClaims{"sub": "u1", "agents": []any{"a", "b\""}}},
		{"for no agent", sdk.AccessTokenOptions{UserID: "u1", Agents: []string{}}, 3600, jwt.MapClaims{"sub": "u1", "agents": []any{}}},
		{"for a second", sdk.AccessTokenOptions{UserID: "u1", ExpiresIn: time.Second}, 1, jwt.MapClaims{"sub": "u1"}},
		{"for a day", sdk.AccessTokenOptions{UserID: "u1", ExpiresIn: sdk.MaxTokenLife}, 86400, jwt.MapClaims{"sub": "u1"}},
		{"for a part of a second more", sdk.AccessTokenOptions{UserID: "u1", ExpiresIn: 1999 * time.Millisecond}, 1, jwt.MapClaims{"sub": "u1"}},
		{"for an odd user", sdk.AccessTokenOptions{UserID: "ü\"\\\n😀/="}, 3600, jwt.MapClaims{"sub": "ü\"\\\n😀/="}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				client, script := open(t, serverConfig())
				token, err := client.CreateAccessToken(t.Context(), test.options)
				require.NoError(t, err)
				test.want["iss"], test.want["aud"] = "key-1", "p1"
				test.want["iat"], test.want["exp"] = second(0), second(test.expires)
				require.Equal(t, test.want, verified(t, token.AccessToken))
				require.InDelta(t, bubbleStart+test.expires, token.ExpiresAt, 0)
				require.Empty(t, script.requests)
			})
		})
	}
}

func TestAnAccessTokenLivesAsLongAsItSays(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(1500 * time.Millisecond)
		client, _ := open(t, serverConfig())
		token, err := client.CreateAccessToken(t.Context(), sdk.AccessTokenOptions{UserID: "u1", ExpiresIn: 10 * time.Second})
		require.NoError(t, err)
		require.InDelta(t, bubbleStart+11, token.ExpiresAt, 0)
		verified(t, token.AccessToken)
		time.Sleep(9 * time.Second)
		verified(t, token.AccessToken)
		time.Sleep(time.Second)
		_, err = jwt.Parse(token.AccessToken, func(*jwt.Token) (any, error) { return []byte(serverSecret), nil })
		require.ErrorIs(t, err, jwt.ErrTokenExpired)
	})
}

func TestAnAccessTokenIsSignedWithTheSecret(t *testing.T) {
	t.Parallel()
	config := serverConfig()
	config.APISecret = "another secret of 32 bytes or more"
	client, _ := open(t, config)
	token, err := client.CreateAccessToken(t.Context(), sdk.AccessTokenOptions{UserID: "u1"})
	require.NoError(t, err)
	_, err = jwt.Parse(token.AccessToken, func(*jwt.Token) (any, error) { return []byte(serverSecret), nil })
	require.ErrorIs(t, err, jwt.ErrTokenSignatureInvalid)
}

func TestCreateAccessTokenWithoutWhatItNeeds(t *testing.T) {
	t.Parallel()
	noHMAC, short, least := serverConfig(), serverConfig(), serverConfig()
	noHMAC.HMAC = nil
	short.APISecret = serverSecret[:31]
	least.APISecret = serverSecret[:32]
	tests := []struct {
		name    string
		config  sdk.Config
		expires time.Duration
		field   string // empty for none
	}{
		{"with a user's token", pageConfig(), 0, "apiSecret"},
		{"without HMAC", noHMAC, 0, "HMAC"},
		{"with a short secret", short, 0, "apiSecret"},
		{"with a secret that is just long enough", least, 0, ""},
		{"for less than a second", least, time.Second - 1, "expiresIn"},
		{"for a moment more than a day", least, sdk.MaxTokenLife + 1, "expiresIn"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			client, _ := open(t, test.config)
			token, err := client.CreateAccessToken(t.Context(), sdk.AccessTokenOptions{UserID: "u1", ExpiresIn: test.expires})
			if test.field == "" {
				require.NoError(t, err)
				return
			}
			require.Nil(t, token)
			requireArgument(t, err, "createAccessToken", test.field)
			require.NotContains(t, err.Error(), serverSecret[:31])
		})
	}
}

func TestCreateAccessTokenWhoseSignatureFails(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	config := serverConfig()
	config.HMAC = func(ctx context.Context, _, _ []byte) ([]byte, error) { return nil, broken }
	client, _ := open(t, config)
	_, err := client.CreateAccessToken(t.Context(), sdk.AccessTokenOptions{UserID: "u1"})
	require.Equal(t, &sdk.APIError{Message: "createAccessToken: the signature could not be made", Cause: broken}, err)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = client.CreateAccessToken(ctx, sdk.AccessTokenOptions{UserID: "u1"})
	require.Equal(t, context.Canceled, err)
}
