package tool

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/fault"
)

const (
	// listTimeout is how long connecting to a server and reading its list may take.
	listTimeout = 30 * time.Second
	// DefaultRetry is the pause after the first failed attempt to reach a server. Each further
	// pause is twice as long, up to maxRetry.
	DefaultRetry = time.Second
	maxRetry     = time.Minute
	// DefaultRefresh is how often a list is read again without a notification: not every server
	// sends one.
	DefaultRefresh = 5 * time.Minute
)

// Traits are what the operator says about a tool.
type Traits struct {
	Approval   string
	Idempotent bool
	Timeout    time.Duration
}

// check finds what is wrong; empty and zero mean the defaults.
func (t Traits) check() (field string, err error) {
	approvals := []string{wire.ApprovalNever, wire.ApprovalUser, wire.ApprovalAdmin}
	switch {
	case t.Approval != "" && !slices.Contains(approvals, t.Approval):
		return "approval", errors.New("want " + wire.ApprovalNever + ", " + wire.ApprovalUser + " or " + wire.ApprovalAdmin)
	case t.Timeout < 0 || t.Timeout > MaxTimeout:
		return "timeout", fmt.Errorf("%v, want more than 0 and at most %v", t.Timeout, MaxTimeout)
	}
	return "", nil
}

// ServerConfig describes an MCP server and which of its tools to use.
type ServerConfig struct {
	// URL is its streamable HTTP endpoint. Token is sent with each request; empty means none.
	URL, Token string
	// Prefix and _ are put before the names of its tools.
	Prefix string
	// Only are the tools to use, by the server's names; nil means all.
	Only []string
	// Reviewed is any text. Another one makes the next list count as the first that was read.
	Reviewed string
	// Traits are for all its tools except those in Each, which has the server's names.
	Traits Traits
	Each   map[string]Traits
	// Retry and Refresh are zero for DefaultRetry and DefaultRefresh.
	Retry, Refresh time.Duration
	Log            *slog.Logger
}

// Server is an MCP server. One session listens for changes of its list, and each call has its
// own session. So nothing of one user's call is left for the next call, a broken session ends
// only one call, and a restarted server needs no special care.
//
// Sampling and elicitation are refused. Of what the server says about its tools, only their
// names, descriptions and schemas are used.
type Server struct {
	config    ServerConfig
	transport *http.Transport
	// listener gets notifications of changes, caller doesn't.
	listener, caller *mcp.Client
	changed          chan struct{}
	closing          sync.WaitGroup // waits for the sessions of calls
	tried            chan struct{}  // closed when the first attempt to list has ended
	list             list
}

// NewServer makes a Server that is not connected yet: Run connects it. An error names the wrong
// field.
func NewServer(config ServerConfig) (*Server, error) {
	if err := checkAddress(config.URL); err != nil {
		return nil, fault.Invalid("url", "%v", err)
	}
	if len(config.Prefix) > 32 || !names.MatchString(config.Prefix) {
		return nil, fault.Invalid("prefix", "prefix: want 1 to 32 of the characters a-z A-Z 0-9 _ -")
	}
	if field, err := config.Traits.check(); err != nil {
		return nil, fault.Invalid(field, "%s: %v", field, err)
	}
	for name, traits := range config.Each {
		if field, err := traits.check(); err != nil {
			return nil, fault.Invalid("each", "each: %s: %s: %v", fault.Shorten(name, 64), field, err)
		}
	}
	if config.Retry == 0 {
		config.Retry = DefaultRetry
	}
	if config.Refresh == 0 {
		config.Refresh = DefaultRefresh
	}
	config.Log = config.Log.With("mcp", config.Prefix)
	s := &Server{config: config, transport: newTransport(), changed: make(chan struct{}, 1), tried: make(chan struct{})}
	s.transport.DisableKeepAlives = false // its POSTs have no Idempotency-Key, without which net/http doesn't repeat them
	s.list = list{server: s, made: map[string]*Tool{}, told: map[string]string{}}
	// No capabilities: no roots, no sampling, no elicitation. The middleware that would repeat a
	// call with elicited values is not installed: a call is sent once.
	refusing := mcp.ClientOptions{Capabilities: &mcp.ClientCapabilities{}, MultiRoundTrip: &mcp.MultiRoundTripOptions{Disabled: true}}
	hearing := refusing
	hearing.ToolListChangedHandler = func(context.Context, *mcp.ToolListChangedRequest) { s.change() }
	implementation := &mcp.Implementation{Name: "chatsdk", Version: "1"}
	s.listener, s.caller = mcp.NewClient(implementation, &hearing), mcp.NewClient(implementation, &refusing)
	return s, nil
}

// change requests that the list is read again.
func (s *Server) change() {
	select {
	case s.changed <- struct{}{}:
	default: // it is already requested
	}
}

func (s *Server) prefix() string { return s.config.Prefix + "_" }

// run connects to the server, lists its tools and listens for changes, until ctx ends.
func (s *Server) run(ctx context.Context) {
	first := sync.OnceFunc(func() { close(s.tried) })
	defer first()
	pause, reached := s.config.Retry, true
	for ctx.Err() == nil {
		err := s.listen(ctx, func() {
			if !reached {
				s.config.Log.Info("the MCP server can be reached again")
			}
			pause, reached = s.config.Retry, true
			first()
		})
		if ctx.Err() != nil {
			return
		}
		if reached {
			s.config.Log.Warn("the MCP server cannot be reached, trying again", "listed", s.list.isListed(), "error", fault.Shorten(withoutAddress(err).Error(), 300))
		}
		reached = false
		first()
		select {
		case <-ctx.Done():
		case <-time.After(pause):
		}
		pause = min(2*pause, maxRetry)
	}
}

// listen keeps a session until it ends. It calls listed whenever the list was read.
func (s *Server) listen(ctx context.Context, listed func()) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	lost := make(chan struct{})
	transport := &roundTripper{base: s.transport, token: s.config.Token, lost: sync.OnceFunc(func() { close(lost) })}
	session, err := s.connect(ctx, s.listener, transport, false)
	if err != nil {
		return err
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = session.Wait()
	}()
	defer func() {
		_ = session.Close()
		<-ended
	}()
	for {
		if err := s.read(ctx, transport, session); err != nil {
			return err
		}
		listed()
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-ended:
			return errors.New("the server ended the session")
		case <-lost:
			return errors.New("the server ended the stream of its notifications")
		case <-time.After(s.config.Refresh):
		case <-s.changed:
			select { // several notifications at once need only one reading
			case <-ctx.Done():
			case <-time.After(s.config.Retry):
			}
		}
	}
}

// connect begins a session. The session of a call requests no notifications.
func (s *Server) connect(ctx context.Context, client *mcp.Client, transport *roundTripper, isCall bool) (*mcp.ClientSession, error) {
	ctx, cancel := context.WithTimeout(ctx, listTimeout)
	defer cancel()
	most := answerBytes
	if isCall {
		most = resultBytes
	}
	var options *mcp.ClientSessionOptions
	if version := s.list.spoken(); isCall && version != "" {
		options = &mcp.ClientSessionOptions{ProtocolVersion: version} // it is known, and need not be negotiated again
	}
	return client.Connect(ctx, &mcp.StreamableClientTransport{
		Endpoint: s.config.URL, HTTPClient: transport.client(), DisableStandaloneSSE: isCall, MaxEventSize: most,
	}, options)
}

// close waits until the sessions of calls are closed, after the last call.
func (s *Server) close() {
	s.closing.Wait()
	s.transport.CloseIdleConnections()
}

// withoutAddress removes the address from an error of net/http, because it may hold a secret.
func withoutAddress(err error) error {
	var told *url.Error
	if errors.As(err, &told) {
		return told.Err
	}
	return err
}

func unlisted(name string) *fault.Error {
	return &fault.Error{Code: wire.CodeUnavailable, Message: "The server of tool " + name + " has not been reached yet; try again", RetryAfter: unlistedRetry}
}
