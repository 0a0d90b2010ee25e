//go:build !js

package sdk

// A page's core has none of this: tokens are made on servers, in JavaScript by js/src/token.ts.

import (
	"context"
	"encoding/base64"
	"strconv"
	"time"

	"github.com/chatsdk/chatsdk/sdk/wire"
)

// DefaultTokenLife and MaxTokenLife are the default and the maximum of AccessTokenOptions.ExpiresIn.
const (
	DefaultTokenLife = time.Hour
	MaxTokenLife     = 24 * time.Hour
)

// AccessTokenOptions are the options of CreateAccessToken.
type AccessTokenOptions struct {
	// UserID is the user. It is required.
	UserID string
	// Role is wire.RoleOrdinary (the default) or wire.RoleAdmin.
	Role string
	// Agents are the ids of the agents that the user may use. Nil means all, empty means none.
	Agents []string
	// ExpiresIn is how long the token is valid, in whole seconds, up to MaxTokenLife. 0 means
	// DefaultTokenLife.
	ExpiresIn time.Duration
}

// CreateAccessToken creates an access token for a user: a JWT (RFC 7519) signed with HS256 and the
// API secret. It needs APIKey, APISecret and HMAC in Config, and sends no request. Use it only on a
// server: anybody who has the API secret can act as any user.
func (c *Client) CreateAccessToken(ctx context.Context, options AccessTokenOptions) (*AccessToken, error) {
	const operation = "createAccessToken"
	if err := c.checkToken(operation, &options); err != nil {
		return nil, err
	}
	issued := time.Now().Unix()
	expires := issued + int64(options.ExpiresIn/time.Second)
	signed := segment([]byte(`{"alg":"HS256","typ":"JWT"}`)) + "." + segment(c.claims(&options, issued, expires))
	signature, err := c.config.HMAC(ctx, []byte(c.config.APISecret), []byte(signed))
	if err != nil {
		return nil, lost(ctx, operation, err, &APIError{Message: operation + ": the signature could not be made", Cause: err})
	}
	return &AccessToken{AccessToken: signed + "." + segment(signature), ExpiresAt: float64(expires)}, nil
}

func segment(data []byte) string { return base64.RawURLEncoding.EncodeToString(data) }

func (c *Client) claims(options *AccessTokenOptions, issued, expires int64) []byte {
	var o body
	o.string("iss", c.config.APIKey)
	o.string("sub", options.UserID)
	o.string("aud", c.config.ProjectID)
	o.raw("iat", strconv.AppendInt(nil, issued, 10))
	o.raw("exp", strconv.AppendInt(nil, expires, 10))
	if options.Role != "" {
		o.string("role", options.Role)
	}
	if options.Agents != nil {
		o.strings("agents", options.Agents)
	}
	return o.bytes()
}

// checkToken checks the options and fills in the default life.
func (c *Client) checkToken(operation string, options *AccessTokenOptions) error {
	if c.config.APISecret == "" {
		return wrong(operation, "apiSecret", "is missing: tokens are minted on a server, with apiKey and apiSecret")
	}
	if c.config.HMAC == nil {
		return wrong(operation, "HMAC", "is nil; nethttp.NewClient sets it")
	}
	if len(c.config.APISecret) < 32 {
		return wrong(operation, "apiSecret", "has "+strconv.Itoa(len(c.config.APISecret))+" bytes, want at least 32")
	}
	if err := checkID(operation, "userId", options.UserID); err != nil {
		return err
	}
	if options.Role != "" && options.Role != wire.RoleOrdinary && options.Role != wire.RoleAdmin {
		return wrong(operation, "role", "is "+strconv.Quote(options.Role)+", want "+strconv.Quote(wire.RoleOrdinary)+" or "+strconv.Quote(wire.RoleAdmin))
	}
	if options.ExpiresIn == 0 {
		options.ExpiresIn = DefaultTokenLife
	}
	if options.ExpiresIn < time.Second || options.ExpiresIn > MaxTokenLife {
		return wrong(operation, "expiresIn", "is "+options.ExpiresIn.String()+", want 1s to "+MaxTokenLife.String())
	}
	return nil
}
