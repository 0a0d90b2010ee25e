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
	lastID  int
	// running has a function for each call under way that cancels the call.
	running      map[int]context.CancelFunc
	exchanges    map[int]*exchange
	lastExchange int
	operations   []named
	// offline means that the page has no network.
	offline bool
}

// client is a client of the page, and the context of its calls.
type client struct {
	*sdk.Client
	ctx    context.Context
	cancel context.CancelCauseFunc
}

// Publish passes the operations to the page, and returns after a panic has ended this instance. From
// then on no call gets a result; the page rejects them.
func Publish() error {
	host, err := safejs.Global().Get("chatsdk")
	if err != nil || typeOf(host) != safejs.TypeObject {
		return errors.New("bridge: no host object; this program runs inside the JavaScript package chatsdk")
	}
	b := &bridge{host: host, clients: map[int]*client{}, running: map[int]context.CancelFunc{}, exchanges: map[int]*exchange{}}
	b.ctx, b.cancel = context.WithCancel(context.Background())
	instance = b
	published := map[string]any{
		"newClient":   b.export(b.newClient),
		"freeClient":  b.export(b.freeClient),
		"closeClient": b.export(b.closeClient),
		"wake":        b.export(b.wake),
		"goOffline":   b.export(b.goOffline),
		"take":        b.export(b.take),
	}
	for _, o := range operations {
		b.operations = append(b.operations, named{o.name, b.testable(o)})
	}
	for _, m := range sdk.Calls() { // getChatHistory and so on
		b.operations = append(b.operations, named{m.Operation, func(c *call) (wire.JSON, error) { return c.row(m) }})
	}
	var names []byte
	for _, o := range b.operations {
		names = append(append(names, o.name...), ' ')
	}
	if _, err := host.Call("publish", published, string(names[:len(names)-1])); err != nil {
		return errors.New("bridge: publish: " + err.Error())
	}
	<-b.ctx.Done()
	return nil
}

// newClient takes the configuration as JSON, and the page's functions for the access token, the log,
// the tools and the requests, if there are any. It returns the client's number, or the Error to throw.
func (b *bridge) newClient(args []safejs.Value) any {
	// This context does not descend from b.ctx: a crash ends the whole program anyway.
	ctx, cancel := context.WithCancelCause(context.Background())
	opened, err := b.open(ctx, args)
	if err != nil {
		cancel(nil)
		return b.toJSError(err)
	}
	if b.offline {
		opened.Offline()
	}
	b.lastID++
	b.clients[b.lastID] = &client{opened, ctx, cancel}
	return b.lastID
}

func (b *bridge) open(ctx context.Context, args []safejs.Value) (*sdk.Client, error) {
	text, err := fromJSString(args[0])
	if err != nil {
		return nil, err
	}
	o, err := newOptions("ChatSDK", []byte(text))
	if err != nil {
		return nil, err
	}
	headers := map[string]string{}
	o.get("headers", jsontext.Object).Members(func(name string, value jsontext.Value) { headers[name] = value.Text() })
	config := sdk.Config{
		BaseURL: o.text("baseUrl"), ProjectID: o.text("projectId"), APIKey: o.text("apiKey"), APISecret: o.text("apiSecret"),
		UserID: o.id("userId"), Headers: headers, PageOrigin: o.text("pageOrigin"), AccessToken: o.text("accessToken"), Transport: &transport{b, args[4]},
		MaxRetries: int(o.orNone("maxRetries")), RetryDelay: time.Duration(min(o.orNone("retryDelay"), 1<<31)) * time.Millisecond,
		Timeout: o.milliseconds("timeout"), StallTimeout: o.milliseconds("stallTimeout"),
		ResumeTimeout: time.Duration(min(o.orNone("resumeTimeout"), 1<<31)) * time.Millisecond,
	}
	if typeOf(args[1]) == safejs.TypeFunction {
		config.AccessTokenFunc = b.tokenFunc(args[1])
	}
	if typeOf(args[2]) == safejs.TypeFunction {
		config.Logger = logger(args[2])
	}
	config.Tools = b.tools(ctx, o, args[3])
	if err := o.finish(); err != nil {
		return nil, err
	}
	return sdk.NewChecked(config), nil
}

// logger passes each request's log entry to the page's function.
func logger(function safejs.Value) func(sdk.LogEntry) {
	return func(entry sdk.LogEntry) {
		_, _ = function.Invoke(toJSEntry(entry)) // the page's function does not throw
	}
}

// log passes the log entry of a call's request to the page.
func (o *outlet) log(entry sdk.LogEntry) { _, _ = o.b.host.Call("log", o.call, toJSEntry(entry)) }

// toJSEntry is a log entry as JSON.
func toJSEntry(entry sdk.LogEntry) string {
	var r record
	r.text("operation", entry.Operation)
	r.text("method", entry.Method)
	r.text("path", entry.Path)
	r.number("status", entry.Status)
	r.text("code", entry.Code)
	r.text("requestId", entry.RequestID)
	r.number("milliseconds", int(entry.Duration.Milliseconds()))
	return string(r.end())
}

// wake lets everything that waits for the network try again.
func (b *bridge) wake([]safejs.Value) any {
	b.offline = false
	for _, client := range b.clients {
		client.Wake()
	}
	return nil
}

// goOffline notes that there is no network until the next wake.
func (b *bridge) goOffline([]safejs.Value) any {
	b.offline = true
	for _, client := range b.clients {
		client.Offline()
	}
	return nil
}

// freeClient forgets a client that no page object refers to any more. Its calls under way continue.
func (b *bridge) freeClient(args []safejs.Value) any {
	if id, err := args[0].Int(); err == nil {
		delete(b.clients, id)
	}
	return nil
}

// closeClient ends the calls of a client, except its stops. The service finishes the client's
// answers. The page frees the client later.
func (b *bridge) closeClient(args []safejs.Value) any {
	if id, err := args[0].Int(); err == nil && b.clients[id] != nil {
		b.clients[id].cancel(sdk.ErrDetached)
	}
	return nil
}

// tokenFunc asks the page's function, which returns a promise of a string.
func (b *bridge) tokenFunc(function safejs.Value) func(context.Context) (string, error) {
	return func(ctx context.Context) (token string, err error) {
		defer b.recover() // the core calls this in a separate goroutine
		x := b.ask()
		defer x.forget()
		if _, err := b.host.Call("token", x.number, function); err != nil {
			return "", b.fromJSError(err)
		}
		told, err := x.wait(ctx)
		if err != nil {
			return "", err
		}
		value := told.value
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
