package cli

import (
	"errors"
	"fmt"
	"io"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/config"
	"github.com/chatsdk/chatsdk/service/internal/fault"
	"github.com/chatsdk/chatsdk/service/internal/httpapi"
)

// PrintToken writes an access token for -print-token.
func printToken(s *config.Settings, stdout io.Writer) error {
	key, secrets, err := config.Credentials(s)
	if err != nil {
		return err
	}
	config := httpapi.Config{ProjectID: s.Project, APIKey: key, APISecrets: secrets, Limits: s.HTTPLimits()}
	token, err := httpapi.MintToken(config, wire.AccessTokenRequest{UserID: s.PrintToken, Role: s.Role})
	var refusal *fault.Error
	switch {
	case errors.As(err, &refusal):
		return fmt.Errorf("-print-token: %s", refusal.Message)
	case err != nil:
		return fmt.Errorf("-print-token: %w", err)
	}
	_, err = fmt.Fprintln(stdout, token.AccessToken)
	return err
}
