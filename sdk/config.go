package sdk

import (
	"context"
	"strconv"
	"strings"
	"time"
)

// Config is the configuration of a Client. It must have BaseURL, ProjectID, Transport and one kind
// of credentials: AccessToken or AccessTokenFunc for a user, APIKey with APISecret on a server.
type Config struct {
	// BaseURL is the service's address, such as "https://api.example.com". It may have a path. A
	// final "/" makes no difference.
	BaseURL string
	// ProjectID is the id of the project.
	ProjectID string
	// APIKey and APISecret let the client act as the project's administrator, or as the user in
	// UserID.
	APIKey    string
	APISecret string
	// UserID is the user that the client acts as. It needs an API key. Empty means the
	// administrator. Messages that are sent without a user are nobody's, and are never examined
	// for memories.
	UserID string
	// AccessToken lets the client act as the token's user.
	AccessToken string
	// AccessTokenFunc returns the token, in place of AccessToken. All calls that wait for a token
	// share one call of it, and it is called again if the service answers 401. If it fails, or does
	// not return within the call's Timeout, the call is tried again, as after a lost connection. If
	// its error is a *TokenError, the call fails.
	AccessTokenFunc func(ctx context.Context) (string, error)
	// MaxRetries is how many times a failed call is tried again, if it may be repeated. 0 means
	// DefaultMaxRetries, negative means never.
	MaxRetries int
	// RetryDelay is the longest wait before the first retry. It doubles with each further retry, up
	// to 8 s. 0 means DefaultRetryDelay, negative means no wait.
	RetryDelay time.Duration
	// Timeout is how long each try may wait for the whole response, or for the headers of a stream.
	// Each 64 KiB of the request's body adds a second. 0 means DefaultTimeout.
	Timeout time.Duration
	// StallTimeout is how long a stream may be silent before it is resumed. The service is never
	// silent for more than 10 s. 0 means DefaultStallTimeout.
	StallTimeout time.Duration
	// ResumeTimeout is how long the client tries to resume a stream that lost its connection. The
	// time starts at the stream's last event, and again at each Wake. Time offline, asleep or frozen
	// does not count. 0 means DefaultResumeTimeout, negative means that it does not try.
	ResumeTimeout time.Duration
	// Tools are offered with each message, in this order. This program carries out their calls.
	Tools []Tool
	// Headers are sent with each request, besides those that the client sets itself; one of these is
	// refused. Names are compared without regard to case. Nil means none.
	Headers map[string]string
	// PageOrigin is the origin of the page, if it calls a service of another origin. Network errors
	// name it, because a browser does not tell the page when the service refuses its origin. Empty
	// means that no origin is named.
	PageOrigin string
	// Logger is called for each request. It must be safe for concurrent use. Nil means no logger.
	Logger func(LogEntry)
	// Transport sends the requests.
	Transport Transport
	// HMAC returns the HMAC-SHA-256 (RFC 2104) of text. Only CreateAccessToken needs it; without
	// that it may be nil.
	HMAC func(ctx context.Context, key, text []byte) ([]byte, error)
}

// newClient is the name of the operation in the errors of a wrong configuration.
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
	if err := c.checkHeaders(); err != nil {
		return err
	}
	return c.checkCredentials()
}

func (c *Config) checkCredentials() error {
	token := c.AccessToken != "" || c.AccessTokenFunc != nil
	switch {
	case c.APIKey != "" && c.APISecret == "":
		return wrong(newClient, "apiSecret", "is missing: it belongs to apiKey")
	case c.APISecret != "" && c.APIKey == "":
		return wrong(newClient, "apiKey", "is missing: it belongs to apiSecret")
	case token && c.APIKey != "":
		return wrong(newClient, "accessToken", "is set as well as apiKey; set only one")
	case !token && c.APIKey == "":
		return wrong(newClient, "accessToken", "is missing: give accessToken, or apiKey and apiSecret on a server")
	case token && c.UserID != "":
		return wrong(newClient, "userId", "is set, but accessToken names its user")
	case strings.TrimSpace(c.AccessToken) == "" && c.AccessToken != "":
		return wrong(newClient, "accessToken", "is blank")
	}
	if c.UserID == "." || c.UserID == ".." {
		return wrong(newClient, "userId", "is "+c.UserID+", which cannot be a user id")
	}
	return c.checkTexts()
}

// checkTexts refuses credentials that cannot be sent in a header. Without it they would fail
// later, with an error that does not name them.
func (c *Config) checkTexts() error {
	for _, field := range []struct{ name, value string }{
		{"apiKey", c.APIKey}, {"apiSecret", c.APISecret}, {"userId", c.UserID}, {"accessToken", c.AccessToken},
	} {
		if !headerText(field.value) {
			return wrong(newClient, field.name, "has characters that a header cannot carry (line ends, controls or non-ASCII)")
		}
	}
	return nil
}

// ownHeaders are the headers that the client sets itself.
const ownHeaders = " accept authorization content-type idempotency-key last-event-id x-api-key x-api-secret x-user-id "

func (c *Config) checkHeaders() error {
	seen := map[string]bool{}
	for name, value := range c.Headers {
		switch small := lower(name); {
		case strings.Contains(ownHeaders, " "+small+" "):
			return wrong(newClient, "headers", "has "+small+", which the SDK sets itself")
		case name == "" || strings.ContainsFunc(small, func(c rune) bool { return !strings.ContainsRune(headerNames, c) }):
			return wrong(newClient, "headers", "has "+strconv.Quote(name)+", which cannot be the name of a header")
		case seen[small]:
			return wrong(newClient, "headers", "has "+small+" twice")
		case !headerText(value):
			return wrong(newClient, "headers", "has a value for "+small+" that a header cannot carry (line ends, controls or non-ASCII)")
		default:
			seen[small] = true
		}
	}
	return nil
}

// headerNames are the characters of a header's name in lower case: a token of RFC 9110, section 5.6.2.
const headerNames = "abcdefghijklmnopqrstuvwxyz0123456789!#$%&'*+-.^_`|~"

// headerText reports whether text can be the value of a header as it is.
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

// lower returns text with the letters A to Z in lower case. strings.ToLower would add the
// tables of Unicode to the wasm.
func lower(text string) string {
	b := []byte(text)
	for i, c := range b {
		if 'A' <= c && c <= 'Z' {
			b[i] = c + 'a' - 'A'
		}
	}
	return string(b)
}
