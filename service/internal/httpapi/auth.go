package httpapi

import (
	"net/http"

	"github.com/chatsdk/chatsdk/sdk/wire"
)

// mintToken serves POST /auth/token: it makes an access token for a user.
func (a *api) mintToken(c *exchange) error {
	_, byToken := bearer(c.r.Header)
	caller, err := a.authenticate(c.r.Header)
	switch {
	case err != nil:
		return err
	case byToken:
		return errNoServer
	case c.r.Header[headerUser] != nil:
		return invalid("x-user-id is not allowed here; user_id in the body names the user", "x-user-id")
	}
	c.caller = caller
	var request wire.AccessTokenRequest
	if err := c.readJSON(&request, "user_id"); err != nil {
		return err
	}
	token, err := MintToken(a.config, request)
	if err != nil {
		return err
	}
	c.writeJSON(http.StatusOK, token)
	return nil
}
