//go:build js && wasm

package bridge

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/hack-pad/safejs"

	"github.com/chatsdk/chatsdk/sdk"
	"github.com/chatsdk/chatsdk/sdk/jsontext"
	"github.com/chatsdk/chatsdk/sdk/wire"
)

// bridge is one running instance of the program.
type bridge struct {
	// host is the page's object; see Host in js/src/bindings.ts.
	host safejs.Value
	// ctx ends when the instance crashes.
	ctx    context.Context
	cancel context.CancelFunc
	once   sync.Once

	clients map[int]*client
	// running has a function for each call under way that cancels the call.
	running      map[int]context.CancelFunc
	exchanges    map[int]*exchange
	lastExchange int
	operations   map[string]operation
	// offline means that the page has no network.
	offline bool
}

// client is a client of the page, and the context of its calls.
type client struct {
	*sdk.Client
	ctx    context.Context
	cancel context.CancelCauseFunc
	// fault is what is wrong with its settings: the failure of each of its calls.
	fault error
}

// Publish makes this program hear the page's messages, and returns after a panic has ended this instance. From
// then on no call gets a result; the page rejects them.
func Publish() error {
	host, err := safejs.Global().Get("chatsdk")
	if err != nil || typeOf(host) != safejs.TypeObject {
		return errors.New("bridge: no host object; this program runs inside the JavaScript package chatsdk")
	}
	b := &bridge{
		host: host, clients: map[int]*client{}, running: map[int]context.CancelFunc{}, exchanges: map[int]*exchange{}, operations: map[string]operation{},
	}
	b.ctx, b.cancel = context.WithCancel(context.Background())
	instance = b
	for name, run := range operations {
		b.operations[name] = b.testable(name, run)
	}
	for _, m := range sdk.Calls() { // getChatHistory and so on
		b.operations[m.Operation] = func(c *call) (wire.JSON, error) { return c.row(m) }
	}
	<-b.ctx.Done()
	return nil
}

// open makes a client with settings, a JSON object, and the page's own fetch, undefined if it has none.
func (b *bridge) open(id int, settings []byte, fetch safejs.Value) {
	// This context does not descend from b.ctx: a crash ends the whole program anyway.
	ctx, cancel := context.WithCancelCause(context.Background())
	c := &client{ctx: ctx, cancel: cancel}
	c.Client, c.fault = b.newClient(ctx, id, settings, fetch)
	if c.fault == nil && b.offline {
		c.Offline()
	}
	b.clients[id] = c
}

func (b *bridge) newClient(ctx context.Context, id int, settings []byte, fetch safejs.Value) (*sdk.Client, error) {
	o, err := newOptions("ChatSDK", settings)
	if err != nil {
		return nil, err
	}
	headers := map[string]string{}
	o.get("headers", jsontext.Object).Members(func(name string, value jsontext.Value) { headers[name] = value.Text() })
	config := sdk.Config{
		BaseURL: o.text("baseUrl"), ProjectID: o.text("projectId"), APIKey: o.text("apiKey"), APISecret: o.text("apiSecret"),
		UserID: o.id("userId"), Headers: headers, PageOrigin: o.text("pageOrigin"), Transport: &transport{b, fetch},
		MaxRetries: int(o.orNone("maxRetries")), RetryDelay: time.Duration(min(o.orNone("retryDelay"), 1<<31)) * time.Millisecond,
		Timeout: o.milliseconds("timeout"), StallTimeout: o.milliseconds("stallTimeout"),
		ResumeTimeout: time.Duration(min(o.orNone("resumeTimeout"), 1<<31)) * time.Millisecond,
	}
	if o.isFunction("accessToken") {
		config.AccessTokenFunc = b.tokenFunc(id)
	} else {
		config.AccessToken = o.text("accessToken")
	}
	if o.isSet("logger") {
		config.Logger = func(entry sdk.LogEntry) { b.log(0, id, entry) }
	}
	config.Tools = b.tools(ctx, o, id)
	if err := o.finish(); err != nil {
		return nil, err
	}
	return sdk.NewChecked(config), nil
}

// network tells the clients whether everything that waits for the network tries again, or there is none until it does.
func (b *bridge) network(offline bool) {
	b.offline = offline
	for _, client := range b.clients {
		switch {
		case client.fault != nil:
		case offline:
			client.Offline()
		default:
			client.Wake()
		}
	}
}

// tokenFunc asks the page's function of a client, which returns a promise of a string.
func (b *bridge) tokenFunc(client int) func(context.Context) (string, error) {
	return func(ctx context.Context) (token string, err error) {
		defer b.recover() // the core calls this in a separate goroutine
		x, question := b.ask("token", client)
		defer x.forget()
		b.post(question)
		got, err := x.wait(ctx)
		if err != nil {
			return "", err
		}
		value := got.value
		kind := typeOf(value)
		if kind == safejs.TypeString {
			return value.String()
		}
		if kind == safejs.TypeObject {
			if _, ok := b.textOf(value, "access_token"); ok {
				return "", &sdk.TokenError{Problem: "gave an object, want its access_token"}
			}
		}
		return "", &sdk.TokenError{Problem: "gave " + typeName(value) + ", want a string"}
	}
}
