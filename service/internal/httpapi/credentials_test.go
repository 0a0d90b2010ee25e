package httpapi_test

import (
	"encoding/base64"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/golang-jwt/jwt/v5"
	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
)

// sign makes a token with correct claims, except the given ones; nil removes a claim.
func sign(t *testing.T, change jwt.MapClaims) headers {
	claims := jwt.MapClaims{"iss": key, "sub": "ann", "aud": project, "iat": noon.Unix(), "exp": noon.Unix() + 3600}
	for name, value := range change {
		claims[name] = value
		if value == nil {
			delete(claims, name)
		}
	}
	return signWith(t, jwt.SigningMethodHS256, secret, jwt.NewWithClaims(jwt.SigningMethodHS256, claims))
}

func signWith(t *testing.T, method jwt.SigningMethod, secret string, token *jwt.Token) headers {
	token.Method = method
	token.Header["alg"] = method.Alg()
	var by any = []byte(secret)
	if method == jwt.SigningMethodNone {
		by = jwt.UnsafeAllowNoneSignatureType
	}
	text, err := token.SignedString(by)
	require.NoError(t, err)
	return bearer(text)
}

func TestAccessTokens(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	at := noon.Unix()
	type claims = jwt.MapClaims
	tests := []struct {
		name   string
		claims claims
		code   string // "" for a token that is accepted
	}{
		{"right", nil, ""},
		{"audience in a list", claims{"aud": []string{"other", project}}, ""},
		{"administrator", claims{"role": "admin"}, ""},
		{"user", claims{"role": "user"}, ""},
		{"longest life", claims{"exp": at + 86400}, ""},
		{"minted by a clock that is 60 s ahead", claims{"iat": at + 60}, ""},
		{"expired for 59 s", claims{"iat": at - 3600, "exp": at - 59}, ""},
		{"fractions of a second", claims{"iat": float64(at) - 0.5, "exp": float64(at) + 0.5}, ""},
		{"not before now", claims{"nbf": at + 60}, ""},
		{"unknown claim", claims{"name": "Ann"}, ""},
		{"null for absent", claims{"role": (*string)(nil), "agents": (*string)(nil), "nbf": (*string)(nil)}, ""},

		{"expired", claims{"iat": at - 3600, "exp": at - 60}, wire.CodeTokenExpired},
		{"minted by a clock that is 61 s ahead", claims{"iat": at + 61}, wire.CodeInvalidToken},
		{"not before a later time", claims{"nbf": at + 61}, wire.CodeInvalidToken},
		{"lives too long", claims{"exp": at + 86401}, wire.CodeInvalidToken},
		{"lives too long by a fraction", claims{"exp": float64(at) + 86400.5}, wire.CodeInvalidToken},
		{"lives too long and has expired", claims{"iat": at - 100000, "exp": at - 100}, wire.CodeInvalidToken},
		{"ends before it is minted", claims{"iat": at + 30, "exp": at + 10}, wire.CodeInvalidToken},
		{"no iat", claims{"iat": nil}, wire.CodeInvalidToken},
		{"no exp", claims{"exp": nil}, wire.CodeInvalidToken},
		{"no iss", claims{"iss": nil}, wire.CodeInvalidToken},
		{"no sub", claims{"sub": nil}, wire.CodeInvalidToken},
		{"no aud", claims{"aud": nil}, wire.CodeInvalidToken},
		{"exp as a string", claims{"exp": "1795179600"}, wire.CodeInvalidToken},
		{"iat as a string", claims{"iat": "1795176000"}, wire.CodeInvalidToken},
		{"nbf as a string", claims{"nbf": "0"}, wire.CodeInvalidToken},
		{"infinite exp", claims{"exp": jsonNumber("1e999")}, wire.CodeInvalidToken},
		{"another issuer", claims{"iss": "other"}, wire.CodeInvalidToken},
		{"another project", claims{"aud": "other"}, wire.CodeInvalidToken},
		{"other projects", claims{"aud": []string{"other"}}, wire.CodeInvalidToken},
		{"no projects", claims{"aud": []string{}}, wire.CodeInvalidToken},
		{"projects, one of them a number", claims{"aud": []any{project, 1}}, wire.CodeInvalidToken},
		{"unknown role", claims{"role": "owner"}, wire.CodeInvalidToken},
		{"empty role", claims{"role": ""}, wire.CodeInvalidToken},
		{"role that is not a string", claims{"role": 1}, wire.CodeInvalidToken},
		{"agents that are not a list", claims{"agents": "clerk"}, wire.CodeInvalidToken},
		{"agents that are not strings", claims{"agents": []any{"clerk", nil}}, wire.CodeInvalidToken},
		{"empty user", claims{"sub": ""}, wire.CodeInvalidToken},
		{"user .", claims{"sub": "."}, wire.CodeInvalidToken},
		{"user ..", claims{"sub": ".."}, wire.CodeInvalidToken},
		{"user with a NUL", claims{"sub": "a\x00"}, wire.CodeInvalidToken},
		{"user that is not UTF-8", claims{"sub": jsonNumber("\"a\xff\"")}, wire.CodeInvalidToken},
		{"user that is not a string", claims{"sub": 1}, wire.CodeInvalidToken},
		{"claims in capitals", claims{"sub": nil, "Sub": "ann"}, wire.CodeInvalidToken},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			w := s.do("GET", "/project/demo/chat", sign(t, test.claims), "")
			if test.code == "" {
				require.Equal(t, http.StatusOK, w.Code, w.Body)
				return
			}
			refusal(t, w, 401, test.code)
		})
	}
}

// A token that can be read in two ways is refused.
func TestAccessTokensSayOneThing(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	const header, payload = `{"alg":"HS256","typ":"JWT"}`, `{"iss":"key","sub":"ann","aud":"demo","iat":1795176000,"exp":1795179600}`
	signed := func(header, payload string) headers {
		text := base64.RawURLEncoding.EncodeToString([]byte(header)) + "." + base64.RawURLEncoding.EncodeToString([]byte(payload))
		signature, err := jwt.SigningMethodHS256.Sign(text, []byte(secret))
		require.NoError(t, err)
		return bearer(text + "." + base64.RawURLEncoding.EncodeToString(signature))
	}
	require.Equal(t, 200, s.do("GET", "/project/demo/chat", signed(header, payload), "").Code)
	require.Equal(t, 200, s.do("GET", "/project/demo/chat", signed(header, " "+payload+"\n"), "").Code, "white space is ignored")
	for name, h := range map[string]headers{
		"an object after the claims":        signed(header, payload+`{"sub":"eve"}`),
		"a number after the claims":         signed(header, payload+"1"),
		"invalid JSON after the claims":     signed(header, payload+"}"),
		"a claim twice":                     signed(header, strings.Replace(payload, "{", `{"sub":"eve",`, 1)),
		"a claim twice, the same":           signed(header, strings.Replace(payload, "{", `{"sub":"ann",`, 1)),
		"a claim twice, one escaped":        signed(header, strings.Replace(payload, "{", `{"\u0073ub":"eve",`, 1)),
		"an unknown claim twice":            signed(header, strings.Replace(payload, "{", `{"x":1,"x":2,`, 1)),
		"claims in a list":                  signed(header, "["+payload+"]"),
		"an object after the header":        signed(header+`{"alg":"none"}`, payload),
		"a name twice in the header":        signed(strings.Replace(header, "{", `{"alg":"none",`, 1), payload),
		"claims that are not a JSON object": signed(header, `"ann"`),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			refusal(t, s.do("GET", "/project/demo/chat", h, ""), 401, wire.CodeInvalidToken)
		})
	}
}

// jsonNumber is a claim that is written unchanged.
type jsonNumber string

func (n jsonNumber) MarshalJSON() ([]byte, error) { return []byte(n), nil }

func TestAccessTokensAreSigned(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	claims := jwt.MapClaims{"iss": key, "sub": "ann", "aud": project, "iat": noon.Unix(), "exp": noon.Unix() + 60}
	token := func() *jwt.Token { return jwt.NewWithClaims(jwt.SigningMethodHS256, claims) }
	critical := token()
	critical.Header["crit"] = []string{"b64"}
	right := strings.TrimPrefix(signWith(t, jwt.SigningMethodHS256, secret, token())["authorization"], "Bearer ")
	parts := strings.Split(right, ".")
	forged := base64.RawURLEncoding.EncodeToString([]byte(`{"iss":"key","sub":"eve","aud":"demo","iat":1795176000,"exp":1795179600}`))

	require.Equal(t, 200, s.do("GET", "/project/demo/chat", signWith(t, jwt.SigningMethodHS256, older, token()), "").Code)
	for name, h := range map[string]headers{
		"by another secret":       signWith(t, jwt.SigningMethodHS256, "some other secret, as long as needed", token()),
		"by the API key":          signWith(t, jwt.SigningMethodHS256, key, token()),
		"by nobody":               signWith(t, jwt.SigningMethodNone, "", token()),
		"in HS512":                signWith(t, jwt.SigningMethodHS512, secret, token()),
		"in HS384":                signWith(t, jwt.SigningMethodHS384, secret, token()),
		"with something critical": signWith(t, jwt.SigningMethodHS256, secret, critical),
		"for other claims":        bearer(parts[0] + "." + forged + "." + parts[2]),
		"without its signature":   bearer(parts[0] + "." + parts[1] + "."),
		"with two parts":          bearer(parts[0] + "." + parts[1]),
		"with four parts":         bearer(right + ".x"),
		"with something after it": bearer(right + "x"),
		"that is a word":          bearer("word"),
		"that is empty":           {"authorization": "Bearer"},
		"that is two tokens":      bearer(right + ", Bearer " + right),
		"that is the secret":      bearer(secret),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			refusal(t, s.do("GET", "/project/demo/chat", h, ""), 401, wire.CodeInvalidToken)
		})
	}
}

func TestCredentials(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	token := sign(t, nil)
	server := asServer()
	tests := []struct {
		name   string
		as     headers
		status int
		code   string
		field  string
	}{
		{"API key", server, 200, "", ""},
		{"API key with the older secret", server.with("x-api-secret", older), 200, "", ""},
		{"API key for a user", as("ann"), 200, "", ""},
		{"API key with another scheme", server.with("authorization", "Basic YTpi"), 200, "", ""},
		{"token, Bearer in another case", headers{"authorization": strings.Replace(token["authorization"], "Bearer", "bEARER", 1)}, 200, "", ""},
		{"none", headers{}, 401, wire.CodeAuthentication, ""},
		{"only a user", headers{"x-user-id": "ann"}, 401, wire.CodeAuthentication, ""},
		{"another scheme", headers{"authorization": "Basic YTpi"}, 401, wire.CodeAuthentication, ""},
		{"key without secret", headers{"x-api-key": key}, 401, wire.CodeAuthentication, ""},
		{"secret without key", headers{"x-api-secret": secret}, 401, wire.CodeAuthentication, ""},
		{"wrong key", server.with("x-api-key", "kez"), 401, wire.CodeAuthentication, ""},
		{"wrong secret", server.with("x-api-secret", secret+"x"), 401, wire.CodeAuthentication, ""},
		{"empty secret", server.with("x-api-secret", ""), 401, wire.CodeAuthentication, ""},
		{"both", server.with("authorization", token["authorization"]), 401, wire.CodeAuthentication, ""},
		{"both, with a wrong token", server.with("authorization", "Bearer x"), 401, wire.CodeAuthentication, ""},
		{"both, with half a key", token.with("x-api-key", key), 401, wire.CodeAuthentication, ""},
		{"wrong secret and a wrong user", as("..").with("x-api-secret", "x"), 401, wire.CodeAuthentication, ""},
		{"empty user", as(""), 400, wire.CodeValidation, "x-user-id"},
		{"user .", as("."), 400, wire.CodeValidation, "x-user-id"},
		{"user ..", as(".."), 400, wire.CodeValidation, "x-user-id"},
		{"user that is not UTF-8", as("a\xff"), 400, wire.CodeValidation, "x-user-id"},
		{"user with a token", token.with("x-user-id", "ann"), 400, wire.CodeValidation, "x-user-id"},
		{"user with a wrong token", bearer("x").with("x-user-id", "ann"), 401, wire.CodeInvalidToken, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			w := s.do("GET", "/project/demo/chat", test.as, "")
			if test.code == "" {
				require.Equal(t, test.status, w.Code, w.Body)
				return
			}
			var fields []string
			if test.field != "" {
				fields = []string{test.field}
			}
			refusal(t, w, test.status, test.code, fields...)
		})
	}
	twice := httptest.NewRequest("GET", "/project/demo/chat", nil)
	twice.Header["X-User-Id"] = []string{"ann", "bob"}
	refusal(t, s.serve(twice, asServer()), 400, wire.CodeValidation, "x-user-id")
	twice = httptest.NewRequest("GET", "/project/demo/chat", nil)
	twice.Header["Authorization"] = []string{token["authorization"], token["authorization"]}
	refusal(t, s.serve(twice, nil), 401, wire.CodeInvalidToken)
}

// Every route with a user's data asks for credentials before it looks at anything else in the
// request.
func TestCredentialsComeFirst(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	chat := s.newChat("ann")
	before := s.everything()
	for _, route := range []struct{ method, path string }{
		{"POST", "/chat/create"}, {"GET", "/project/demo/chat"}, {"GET", "/project/other/chat?limit=x"},
		{"GET", "/project/demo/chat/" + chat.ChatID + "/all"}, {"DELETE", "/chat/delete"}, {"POST", "/chat/update/name"},
		{"POST", "/chat/message/user/feedback"}, {"POST", "/v3/chat/message"}, {"GET", "/project/demo/agents"}, {"POST", "/auth/token"},
	} {
		for name, h := range map[string]headers{"no": {}, "wrong": asServer().with("x-api-secret", "x")} {
			t.Run(name+" credentials at "+route.path, func(t *testing.T) {
				w := s.do(route.method, route.path, h, "neither JSON nor a form")
				refusal(t, w, 401, wire.CodeAuthentication)
				require.Equal(t, `Bearer realm="chatsdk"`, w.Header().Get("WWW-Authenticate"))
			})
		}
	}
	require.Equal(t, before, s.everything())
}

// A user can use their own data; an API key without a user can use everything.
func TestWhoOwnsWhat(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	hers := s.newChat("ann")
	path := "/project/demo/chat/" + hers.ChatID + "/all"
	for name, test := range map[string]struct {
		as     headers
		status int
	}{
		"the owner":                   {as("ann"), 200},
		"the owner's token":           {sign(t, nil), 200},
		"the owner's token, an admin": {sign(t, jwt.MapClaims{"role": "admin"}), 200},
		"the server":                  {asServer(), 200},
		"another":                     {as("bob"), 404},
		"another's token":             {sign(t, jwt.MapClaims{"sub": "bob"}), 404},
		"another's token, an admin":   {sign(t, jwt.MapClaims{"sub": "bob", "role": "admin"}), 404},
		"the owner in another case":   {as("Ann"), 404},
		"the owner with a dot after":  {as("ann."), 404},
	} {
		require.Equal(t, test.status, s.do("GET", path, test.as, "").Code, name)
	}
	nobodys := decode[wire.Chat](t, s.do("POST", "/chat/create", asServer().json(), `{"project_id":"demo"}`))
	require.Equal(t, 404, s.do("GET", "/project/demo/chat/"+nobodys.ChatID+"/all", as("ann"), "").Code)
	require.Equal(t, 200, s.do("GET", "/project/demo/chat/"+nobodys.ChatID+"/all", asServer(), "").Code)
}
