package httpapi

import (
	"crypto/sha256"
	"crypto/subtle"
	"net/http"
	"strings"

	"github.com/golang-jwt/jwt/v5"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/access"
	"github.com/chatsdk/chatsdk/service/internal/fault"
)

const (
	headerKey    = "X-Api-Key"
	headerSecret = "X-Api-Secret"
	headerUser   = "X-User-Id"
)

var (
	errNoCredentials = &fault.Error{
		Code: wire.CodeAuthentication, Message: "Send an access token, or an API key with its secret",
	}
	errTwoCredentials = &fault.Error{
		Code: wire.CodeAuthentication, Message: "Send either an access token or an API key, not both",
	}
	errWrongKey = &fault.Error{Code: wire.CodeAuthentication, Message: "The API key or its secret is wrong"}
	errNoServer = &fault.Error{
		Code: wire.CodePermissionDenied, Message: "Access tokens are made with an API key, not with an access token",
	}
)

// apiKeys are the project's credentials, hashed so that they can be compared in constant time.
type apiKeys struct {
	key     [sha256.Size]byte
	secrets [][sha256.Size]byte
	verify  jwt.VerificationKeySet
}

func newAPIKeys(config Config) apiKeys {
	k := apiKeys{key: sha256.Sum256([]byte(config.APIKey))}
	for _, secret := range config.APISecrets {
		k.secrets = append(k.secrets, sha256.Sum256([]byte(secret)))
		k.verify.Keys = append(k.verify.Keys, []byte(secret))
	}
	return k
}

// match compares a key and a secret with all of the project's, every time, so that the duration
// reveals nothing.
func (k apiKeys) match(key, secret string) bool {
	givenKey, givenSecret := sha256.Sum256([]byte(key)), sha256.Sum256([]byte(secret))
	known := 0
	for _, one := range k.secrets {
		known |= subtle.ConstantTimeCompare(one[:], givenSecret[:])
	}
	return known&subtle.ConstantTimeCompare(k.key[:], givenKey[:]) == 1
}

// withCaller authenticates the caller before it calls serve.
func (a *api) withCaller(serve serve) serve {
	return func(c *exchange) (err error) {
		if c.caller, err = a.authenticate(c.r.Header); err != nil {
			return err
		}
		return serve(c)
	}
}

// authenticate checks the credentials of a request: an access token, or an API key, which may act
// for a user.
func (a *api) authenticate(header http.Header) (access.Caller, error) {
	token, byToken := bearer(header)
	byKey := header[headerKey] != nil || header[headerSecret] != nil
	switch {
	case byToken && byKey:
		return access.Caller{}, errTwoCredentials
	case byToken:
		caller, err := a.verifyToken(token)
		if err == nil && header[headerUser] != nil {
			err = invalid("x-user-id goes with an API key; an access token names its user", "x-user-id")
		}
		return caller, err
	case !byKey:
		return access.Caller{}, errNoCredentials
	}
	return a.authenticateKey(header)
}

func (a *api) authenticateKey(header http.Header) (access.Caller, error) {
	caller := access.Caller{Scope: access.Scope{ProjectID: a.config.ProjectID}}
	users := header[headerUser]
	switch {
	case len(header[headerKey]) != 1 || len(header[headerSecret]) != 1,
		!a.apiKeys.match(header.Get(headerKey), header.Get(headerSecret)):
		return caller, errWrongKey
	case len(users) > 1 || len(users) == 1 && !isID(users[0]):
		return caller, invalid(`x-user-id must be one id in UTF-8, and not ".", ".." or empty`, "x-user-id")
	case len(users) == 1:
		caller.UserID = users[0]
	}
	return caller, a.config.Limits.checkUser(caller.UserID, "x-user-id")
}

// bearer returns the access token of a request. More than one Authorization header is not a
// valid token.
func bearer(header http.Header) (token string, given bool) {
	for _, value := range header["Authorization"] {
		scheme, text, _ := strings.Cut(value, " ")
		if !strings.EqualFold(scheme, "Bearer") {
			continue
		}
		if given {
			return "", true
		}
		token, given = strings.TrimSpace(text), true
	}
	return token, given
}
