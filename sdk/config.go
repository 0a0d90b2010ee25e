package sdk

import (
	"context"
	"strings"
	"time"
)

// Config is the configuration of a Client. BaseURL, ProjectID, Transport and
// one kind of credentials are required: AccessToken or AccessTokenFunc in the
// hands of a user, APIKey with APISecret on a server.
type Config struct {
	// BaseURL is the service's address, such as "https://api.example.com". It
	// may have a path, and may end with "/" or not.
	BaseURL string
	// ProjectID is the project.
	ProjectID string
	// APIKey and APISecret act as the project's administrator.
	APIKey    string
	APISecret string
	// UserID, beside an API key, acts as exactly that user. Empty is unset.
	UserID string
	// AccessToken acts as the token's user.
	AccessToken string
	// AccessTokenFunc gives the token, instead of AccessToken. It is asked once
	// for all calls that wait for the first one, and once again when a request is
	// refused with 401. Where it fails, or gives nothing within the call's
	// Timeout, the call is tried again as after a lost connection; a *TokenError
	// is final.
	AccessTokenFunc func(ctx context.Context) (string, error)
	// MaxRetries is how often a call that may be repeated is tried again. 0 is
	// DefaultMaxRetries, negative means never.
	MaxRetries int
	// RetryDelay is the longest wait before the second try; it doubles with each
	// one after, up to 8 s. 0 means DefaultRetryDelay, negative means none.
	RetryDelay time.Duration
	// Timeout is how long an answer may take, for each try; of a stream, how
	// long its headers may. A second is added for each 64 KiB of the request's
	// body. 0 means DefaultTimeout.
	Timeout time.Duration
	// StallTimeout is how long a stream may be silent before it is taken as
	// cut. The service is never silent for more than 10 s. 0 is
	// DefaultStallTimeout.
	StallTimeout time.Duration
	// ResumeTimeout is how long a stream whose connection was lost is looked for,
	// since its last event or wake. Time offline, asleep or frozen does not count.
	// 0 means DefaultResumeTimeout, negative means never.
	ResumeTimeout time.Duration
	// Tools are offered with each message, in this order, and carried out by this program.
	Tools []Tool
	// PageOrigin is the origin of the page that calls a service of another origin.
	// Errors of the network name it, since a browser does not tell its page that
	// the service does not list it. Empty is unset.
	PageOrigin string
	// Logger is told of each request. It must be safe for concurrent use. Nil is
	// nobody.
	Logger func(LogEntry)
	// Transport carries the requests.
	Transport Transport
	// HMAC gives the HMAC-SHA-256 (RFC 2104) of text. Only CreateAccessToken
	// needs it; nil is unset.
	HMAC func(ctx context.Context, key, text []byte) ([]byte, error)
}

// newClient is the operation that a wrong configuration fails.
const newClient = "ChatSDK"

// check finds the first setting that is wrong.
func (c *Config) check() error {
	if err := checkBaseURL(c.BaseURL); err != nil {
		return err
	}
	if err := checkID(newClient, "projectId", c.ProjectID); err != nil {
		return err
	}
	if c.Transport == nil {
		return wrong(newClient, "Transport", "is nil; nethttp.NewClient sets it")
	}
	for _, limit := range []struct {
		name  string
		value time.Duration
	}{{"timeout", c.Timeout}, {"stallTimeout", c.StallTimeout}} {
		if limit.value < 0 {
			return wrong(newClient, limit.name, "is negative")
		}
	}
	if err := c.checkTools(); err != nil {
		return err
	}
	return c.checkCredentials()
}

func (c *Config) checkCredentials() error {
	token := c.AccessToken != "" || c.AccessTokenFunc != nil
	switch {
	case c.APIKey != "" && c.APISecret == "":
		return wrong(newClient, "apiSecret", "is missing beside apiKey")
	case c.APISecret != "" && c.APIKey == "":
		return wrong(newClient, "apiKey", "is missing beside apiSecret")
	case token && c.APIKey != "":
		return wrong(newClient, "accessToken", "is set beside apiKey; give one of the two")
	case !token && c.APIKey == "":
		return wrong(newClient, "accessToken", "is missing: give accessToken, or apiKey and apiSecret on a server")
	case token && c.UserID != "":
		return wrong(newClient, "userId", "is set beside accessToken, which names its user already")
	case strings.TrimSpace(c.AccessToken) == "" && c.AccessToken != "":
		return wrong(newClient, "accessToken", "is blank")
	}
	if c.UserID == "." || c.UserID == ".." {
		return wrong(newClient, "userId", "is "+c.UserID+", which cannot be a user id")
	}
	return c.checkHeaders()
}

// checkHeaders refuses credentials that cannot stand in a header: they would
// fail later, and with an error that does not name them.
func (c *Config) checkHeaders() error {
	for _, field := range []struct{ name, value string }{
		{"apiKey", c.APIKey}, {"apiSecret", c.APISecret}, {"userId", c.UserID}, {"accessToken", c.AccessToken},
	} {
		if !headerText(field.value) {
			return wrong(newClient, field.name, "has characters that a header cannot carry (line ends, controls or non-ASCII)")
		}
	}
	return nil
}

// headerText tells whether text can be the value of a header as it is.
func headerText(text string) bool {
	for i := range len(text) {
		if text[i] < 0x20 || text[i] > 0x7e {
			return false
		}
	}
	return strings.TrimSpace(text) == text
}

func checkBaseURL(address string) error {
	const want = ", want an address such as https://api.example.com"
	if strings.TrimSpace(address) == "" {
		return wrong(newClient, "baseUrl", "is blank"+want)
	}
	lower := lower(address)
	host, ok := strings.CutPrefix(lower, "https://")
	if !ok {
		host, ok = strings.CutPrefix(lower, "http://")
	}
	if !ok || host == "" || host[0] == '/' {
		return wrong(newClient, "baseUrl", "does not begin with http:// or https:// and a host"+want)
	}
	if strings.ContainsAny(host, " \t\r\n?#") {
		return wrong(newClient, "baseUrl", "has a query, a fragment or white space"+want)
	}
	if authority, _, _ := strings.Cut(host, "/"); strings.Contains(authority, "@") {
		return wrong(newClient, "baseUrl", "has credentials in it; give them as apiKey and apiSecret")
	}
	return nil
}
