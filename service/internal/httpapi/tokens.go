package httpapi

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/golang-jwt/jwt/v5"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/access"
	"github.com/chatsdk/chatsdk/service/internal/fault"
)

const (
	// defaultLife and maxLife are the default and the largest lifetime of an access token, in
	// seconds.
	defaultLife = 3600
	maxLife     = 86400
	// clockDifference is how far the clock of the token's issuer may be off.
	clockDifference = 60
)

// MintToken makes an access token for a user; see docs/protocol.md, Access tokens. It uses
// ProjectID, APIKey, APISecrets, Limits and Now of config. The error is a *fault.Error that names
// the wrong field of the request.
func MintToken(config Config, request wire.AccessTokenRequest) (wire.AccessTokenResponse, error) {
	life := int64(defaultLife)
	if request.ExpiresIn != nil {
		life = *request.ExpiresIn
	}
	switch {
	case !isID(request.UserID):
		return wire.AccessTokenResponse{}, invalid(`user_id must be a string, and not ".", ".." or empty`, "user_id")
	case request.Role != "" && !isRole(request.Role):
		return wire.AccessTokenResponse{}, invalid(`role is unknown, want "user" or "admin"`, "role")
	case life < 1 || life > maxLife:
		return wire.AccessTokenResponse{}, invalid(fmt.Sprintf("expires_in is out of range, want 1 to %d seconds", maxLife), "expires_in")
	}
	if err := config.Limits.checkUser(request.UserID, "user_id"); err != nil {
		return wire.AccessTokenResponse{}, err
	}
	now := time.Now
	if config.Now != nil {
		now = config.Now
	}
	issued := now().Unix()
	claims := jwt.MapClaims{
		"iss": config.APIKey, "sub": request.UserID, "aud": config.ProjectID, "iat": issued, "exp": issued + life,
	}
	if request.Role != "" {
		claims["role"] = request.Role
	}
	if request.Agents != nil {
		claims["agents"] = request.Agents
	}
	token, err := jwt.NewWithClaims(jwt.SigningMethodHS256, claims).SignedString([]byte(config.APISecrets[0]))
	return wire.AccessTokenResponse{AccessToken: token, ExpiresAt: float64(issued + life)}, err
}

var (
	errInvalidToken = &fault.Error{Code: wire.CodeInvalidToken, Message: "The access token is not valid here"}
	errTokenExpired = &fault.Error{Code: wire.CodeTokenExpired, Message: "The access token has expired; get a new one"}
)

// verifyToken returns the caller whom an access token names.
func (a *api) verifyToken(text string) (access.Caller, error) {
	parser := jwt.NewParser(jwt.WithValidMethods([]string{jwt.SigningMethodHS256.Alg()}),
		jwt.WithJSONNumber(), jwt.WithStrictDecoding(), jwt.WithoutClaimsValidation())
	values := jwt.MapClaims{}
	token, err := parser.ParseWithClaims(text, values, func(*jwt.Token) (any, error) { return a.apiKeys.verify, nil })
	if err != nil || token.Header["crit"] != nil || !isPlain(parser, text) {
		return access.Caller{}, errInvalidToken
	}
	claims, ok := readClaims(values)
	if !ok || a.config.Limits.checkUser(claims.user, "sub") != nil || claims.issuer != a.config.APIKey || !slices.Contains(claims.audience, a.config.ProjectID) {
		return access.Caller{}, errInvalidToken
	}
	now := float64(a.config.Now().UnixMicro()) / 1e6
	switch {
	case claims.issued > now+clockDifference, claims.notBefore > now+clockDifference, claims.expires-claims.issued > maxLife, claims.expires <= claims.issued:
		return access.Caller{}, errInvalidToken
	case claims.expires <= now-clockDifference:
		return access.Caller{}, errTokenExpired
	}
	return access.Caller{Scope: access.Scope{ProjectID: a.config.ProjectID, UserID: claims.user}, Agents: claims.agents, Admin: claims.admin}, nil
}

// isPlain reports whether the header and the claims of a token are one JSON object each, without
// duplicate names: another reader might take the other value.
func isPlain(parser *jwt.Parser, token string) bool {
	for _, part := range strings.Split(token, ".")[:2] {
		text, err := parser.DecodeSegment(part)
		if err != nil {
			return false
		}
		if _, err := parseObject(text); err != nil {
			return false
		}
	}
	return true
}

// claims are the claims of an access token.
type claims struct {
	issuer, user               string
	audience                   []string
	issued, expires, notBefore float64
	agents                     []string
	admin                      bool
}

// readClaims reads the claims of a token, and reports whether each is present and of its type. A
// claim that is null is absent.
func readClaims(values jwt.MapClaims) (claims, bool) {
	ok := true
	audience := values["aud"]
	if one, single := audience.(string); single {
		audience = []any{one}
	}
	c := claims{
		issuer:    claim(values["iss"], asText, &ok),
		user:      claim(values["sub"], asText, &ok),
		audience:  claim(audience, asTexts, &ok),
		issued:    claim(values["iat"], asTime, &ok),
		expires:   claim(values["exp"], asTime, &ok),
		notBefore: optional(values["nbf"], asTime, &ok),
		agents:    optional(values["agents"], asTexts, &ok),
	}
	role := values["role"]
	if role == nil {
		role = wire.RoleOrdinary
	}
	c.admin = role == wire.RoleAdmin
	return c, ok && isID(c.user) && isRole(claim(role, asText, &ok))
}

// claim reads a required value.
func claim[T any](value any, as func(any) (T, bool), ok *bool) T {
	read, is := as(value)
	*ok = *ok && is
	return read
}

// optional reads a value that may be absent.
func optional[T any](value any, as func(any) (T, bool), ok *bool) (read T) {
	if value == nil {
		return read
	}
	return claim(value, as, ok)
}

func asText(value any) (string, bool) {
	text, ok := value.(string)
	return text, ok
}

func asTime(value any) (float64, bool) {
	number, ok := value.(json.Number)
	if !ok {
		return 0, false
	}
	seconds, err := number.Float64()
	return seconds, err == nil && !math.IsInf(seconds, 0)
}

func asTexts(value any) ([]string, bool) {
	items, ok := value.([]any)
	list := make([]string, len(items))
	for i, item := range items {
		text, is := item.(string)
		list[i], ok = text, ok && is
	}
	return list, ok
}

func isRole(role string) bool {
	return role == wire.RoleOrdinary || role == wire.RoleAdmin
}

// isID reports whether an id can be used in a path and stored. ContainsRune finds invalid UTF-8 as
// well.
func isID(id string) bool {
	return id != "" && id != "." && id != ".." && !strings.ContainsRune(id, 0) && !strings.ContainsRune(id, utf8.RuneError)
}
