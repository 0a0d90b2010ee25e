package httpapi_test

import (
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/httpapi"
)

func TestTokensAreMinted(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	tests := []struct {
		name, body string
		claims     jwt.MapClaims
	}{
		{"by default", `{"user_id":"ann"}`, jwt.MapClaims{"iss": key, "sub": "ann", "aud": project, "iat": float64(noon.Unix()), "exp": float64(noon.Unix() + 3600)}},
		{"with all", `{"user_id":"ann","role":"admin","agents":["clerk"],"expires_in":86400}`,
			jwt.MapClaims{"iss": key, "sub": "ann", "aud": project, "iat": float64(noon.Unix()), "exp": float64(noon.Unix() + 86400), "role": "admin", "agents": []any{"clerk"}}},
		{"for no agent", `{"user_id":"ann","role":null,"agents":[],"expires_in":1}`,
			jwt.MapClaims{"iss": key, "sub": "ann", "aud": project, "iat": float64(noon.Unix()), "exp": float64(noon.Unix() + 1), "agents": []any{}}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			w := s.do("POST", "/auth/token", asServer().json(), test.body)
			require.Equal(t, 200, w.Code, w.Body)
			minted := decode[wire.AccessTokenResponse](t, w)
			token, err := jwt.Parse(minted.AccessToken, func(*jwt.Token) (any, error) { return []byte(secret), nil },
				jwt.WithValidMethods([]string{"HS256"}), jwt.WithTimeFunc(func() time.Time { return noon }))
			require.NoError(t, err)
			require.Equal(t, test.claims, token.Claims)
			require.Equal(t, test.claims["exp"], minted.ExpiresAt)
			require.Equal(t, 200, s.do("GET", "/project/demo/chat", bearer(minted.AccessToken), "").Code)
		})
	}
}

func TestTokensAreRefused(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	tests := []struct {
		name   string
		as     headers
		body   string
		status int
		code   string
		fields []string
	}{
		{"no user", asServer(), `{}`, 400, wire.CodeValidation, []string{"user_id"}},
		{"empty user", asServer(), `{"user_id":""}`, 400, wire.CodeValidation, []string{"user_id"}},
		{"user .", asServer(), `{"user_id":"."}`, 400, wire.CodeValidation, []string{"user_id"}},
		{"user ..", asServer(), `{"user_id":".."}`, 400, wire.CodeValidation, []string{"user_id"}},
		{"user with a NUL", asServer(), `{"user_id":"a\u0000"}`, 400, wire.CodeValidation, []string{"user_id"}},
		{"unknown role", asServer(), `{"user_id":"ann","role":"owner"}`, 400, wire.CodeValidation, []string{"role"}},
		{"no life", asServer(), `{"user_id":"ann","expires_in":0}`, 400, wire.CodeValidation, []string{"expires_in"}},
		{"too long a life", asServer(), `{"user_id":"ann","expires_in":86401}`, 400, wire.CodeValidation, []string{"expires_in"}},
		{"half a second", asServer(), `{"user_id":"ann","expires_in":0.5}`, 400, wire.CodeValidation, []string{"expires_in"}},
		{"all of the wrong type", asServer(), `{"user_id":1,"role":[],"agents":[null],"expires_in":"1"}`, 400, wire.CodeValidation, []string{"user_id", "role", "agents", "expires_in"}},
		{"as a user", as("ann"), `{"user_id":"ann"}`, 400, wire.CodeValidation, []string{"x-user-id"}},
		{"by a token", sign(t, nil), `{"user_id":"ann"}`, 403, wire.CodePermissionDenied, nil},
		{"by an administrator's token", sign(t, jwt.MapClaims{"role": "admin"}), `{"user_id":"ann"}`, 403, wire.CodePermissionDenied, nil},
		{"by a wrong token", bearer("x"), `{"user_id":"ann"}`, 401, wire.CodeInvalidToken, nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			refusal(t, s.do("POST", "/auth/token", test.as.json(), test.body), test.status, test.code, test.fields...)
		})
	}
}

func TestMintTokenNeedsNoService(t *testing.T) {
	t.Parallel()
	minted, err := httpapi.MintToken(httpapi.Config{ProjectID: project, APIKey: key, APISecrets: []string{secret}}, wire.AccessTokenRequest{UserID: "ann"})
	require.NoError(t, err)
	require.NotEmpty(t, minted.AccessToken)
}
