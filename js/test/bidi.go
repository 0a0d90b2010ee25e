package test

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"

	"github.com/coder/websocket"
)

// bidi is a connection of WebDriver BiDi (https://w3c.github.io/webdriver-bidi/).
type bidi struct {
	conn  *websocket.Conn
	ended chan struct{}

	mu      sync.Mutex
	last    int
	waiting map[int]chan bidiMessage
	// notes get the log entries of a browsing context.
	notes map[string]func(logEntry)
}

type bidiMessage struct {
	ID      int             `json:"id"`
	Type    string          `json:"type"`
	Method  string          `json:"method"`
	Result  json.RawMessage `json:"result"`
	Params  json.RawMessage `json:"params"`
	Error   string          `json:"error"`
	Message string          `json:"message"`
}

// logEntry is a log.Entry: what a page throws and what it says in the console.
type logEntry struct {
	Type   string `json:"type"`
	Method string `json:"method"`
	Level  string `json:"level"`
	Text   string `json:"text"`
	Source struct {
		Context string `json:"context"`
	} `json:"source"`
}

func dialBidi(address string) (*bidi, error) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	conn, _, err := websocket.Dial(ctx, address, nil)
	if err != nil {
		return nil, err
	}
	conn.SetReadLimit(-1)
	b := &bidi{conn: conn, ended: make(chan struct{}), waiting: map[int]chan bidiMessage{}, notes: map[string]func(logEntry){}}
	go b.read()
	return b, nil
}

func (b *bidi) read() {
	defer close(b.ended)
	for {
		_, data, err := b.conn.Read(context.Background())
		if err != nil {
			return
		}
		var message bidiMessage
		if json.Unmarshal(data, &message) != nil {
			return
		}
		b.take(message)
	}
}

func (b *bidi) take(message bidiMessage) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if message.Type != "event" {
		if answer, waits := b.waiting[message.ID]; waits {
			delete(b.waiting, message.ID)
			answer <- message
		}
		return
	}
	var entry logEntry
	if message.Method != "log.entryAdded" || json.Unmarshal(message.Params, &entry) != nil {
		return
	}
	if note := b.notes[entry.Source.Context]; note != nil {
		note(entry)
	}
}

// listen passes the log entries of a browsing context to a function; nil ends that.
func (b *bidi) listen(context string, note func(logEntry)) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.notes[context] = note; note == nil {
		delete(b.notes, context)
	}
}

// fields are the arguments of a command, or its result.
type fields = map[string]any

// call sends a command and waits for its result, which may be nil.
func (b *bidi) call(method string, params fields, result any) error {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	answer := make(chan bidiMessage, 1)
	b.mu.Lock()
	b.last++
	id := b.last
	b.waiting[id] = answer
	b.mu.Unlock()
	data, err := json.Marshal(fields{"id": id, "method": method, "params": params})
	if err != nil {
		return err
	}
	if err := b.conn.Write(ctx, websocket.MessageText, data); err != nil {
		return fmt.Errorf("%s: %w", method, err)
	}
	select {
	case message := <-answer:
		if message.Type == "error" {
			return fmt.Errorf("%s: %s: %s", method, message.Error, message.Message)
		}
		if result == nil {
			return nil
		}
		return json.Unmarshal(message.Result, result)
	case <-b.ended:
		return fmt.Errorf("%s: the browser is gone", method)
	case <-ctx.Done():
		return fmt.Errorf("%s: no answer: %w", method, ctx.Err())
	}
}

func (b *bidi) close() {
	_ = b.conn.CloseNow()
	<-b.ended
}
