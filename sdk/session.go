package sdk

import (
	"context"
	"errors"
	"io"
	"strconv"
	"time"

	"github.com/chatsdk/chatsdk/sdk/jsontext"
	"github.com/chatsdk/chatsdk/sdk/wire"
)

// session reads one answer, over as many connections as needed.
type session struct {
	client    *Client
	operation string
	// request begins the answer. It is nil for an answer that is already being written.
	request *Request
	// detach lets the service finish the answer when nobody reads it any more.
	detach   bool
	patience patience
	buffer   []byte

	streamReader
	parking
}

func (c *Client) newSession(operation string, request *Request, detach bool) *session {
	s := &session{client: c, operation: operation, request: request, detach: detach, patience: patience{client: c}}
	s.patience.renew()
	s.news = make(chan struct{}, 1)
	s.streamReader.client, s.streamReader.operation = c, operation
	if request != nil {
		request.Header["accept"] = eventStream
		c.prepare(request)
	}
	return s
}

const eventStream = "text/event-stream"

// run yields the answer until its end, or until an error that cannot be repaired.
func (s *session) run(ctx context.Context, yield func([]Part, error) bool) {
	s.ctx = ctx
	s.client.followed.begin(s)
	defer s.client.followed.end(s)
	tries := retries{client: s.client}
	defer s.patience.rest()
	for {
		seen := s.lastID
		left, err := s.connect(ctx, yield)
		switch {
		case s.ended:
			return
		case left || ctx.Err() != nil:
			s.abandon(ctx)
			if !left {
				yield(nil, ctx.Err())
			}
			return
		}
		if s.lastID > seen {
			tries.used = 0
			s.patience.renew()
		}
		if s.parks(err) {
			if err = s.park(ctx, pauseAfter(err, s.lastID > seen)); err == nil {
				s.patience.renew()
				continue
			}
			s.over = true
		}
		events, err := s.mend(ctx, &tries, err)
		if ctx.Err() != nil {
			s.abandon(ctx)
			yield(nil, ctx.Err())
			return
		}
		if err != nil {
			yield(nil, err)
			return
		}
		if len(events) > 0 {
			yield(events, nil)
			return
		}
	}
}

// connect reads one connection. It reports whether the reader left, or returns the error that ended
// the connection before the end of the answer.
func (s *session) connect(ctx context.Context, yield func([]Part, error) bool) (left bool, err error) {
	if ctx.Err() != nil {
		return false, ctx.Err()
	}
	request := s.next()
	caller := ctx // may end before the body of a whole answer is read
	ctx, timer, cancel := s.client.withTimeout(context.WithoutCancel(caller), request)
	defer timer.Stop()
	detach := context.AfterFunc(caller, func() { cancel(context.Cause(caller)) })
	defer detach()
	silence := s.client.listen()
	if s.streamID != "" { // the service sends the headers of an existing stream at once
		request.silence = silence
		go silence.watch(ctx, cancel)
	}
	s.opens(cancel)
	defer s.closes()
	response, err := s.client.do(ctx, s.operation, request)
	if err != nil {
		cancel(nil)
		return false, err
	}
	whole := false
	defer func() { disconnect(response, cancel, whole) }()
	if response.IsStream() {
		timer.Stop()
		silence.follow(response.Body)
		if s.streamID == "" {
			go silence.watch(ctx, cancel)
		}
		left, err = s.follow(ctx, silence, response, yield)
		whole = s.ended && !left
		return left, err
	}
	events, err := s.whole(ctx, response)
	if err != nil || events == nil {
		return false, err
	}
	s.ended = true
	return !yield(events, nil), nil
}

// goodbye is how long the service may take to close a connection after the end of its answer.
const goodbye = time.Second

// disconnect closes a response. If the answer is whole, it first reads the body to its end, in the
// background: browsers show a response that was not read to its end as cancelled.
func disconnect(response *Response, cancel context.CancelCauseFunc, whole bool) {
	end := func() {
		_ = response.Body.Close()
		cancel(nil)
	}
	if !whole {
		end()
		return
	}
	go func() {
		timer := time.AfterFunc(goodbye, func() { cancel(nil) })
		defer timer.Stop()
		_ = drain(response.Body, discard{}, make([]byte, 512)) // an error makes no difference here
		end()
	}()
}

// next is the request for the answer, or for the rest of it.
func (s *session) next() *Request {
	if s.streamID == "" {
		return s.request
	}
	request := &Request{Method: "GET", URL: streamPath(s.streamID), Header: map[string]string{"accept": eventStream}}
	if s.lastID > 0 {
		request.Header["last-event-id"] = strconv.FormatInt(s.lastID, 10)
	}
	s.client.prepare(request)
	return request
}

func streamPath(streamID string) string {
	return string(appendEscaped([]byte("/v3/chat/stream/"), streamID))
}

// readBuffer is how many bytes one read of a stream takes at most.
const readBuffer = 64 << 10

// follow yields the events until the stream ends, fails, or is cut.
func (s *session) follow(ctx context.Context, silence *silence, response *Response, yield func([]Part, error) bool) (left bool, err error) {
	s.begin(response.Header("x-request-id"))
	if s.buffer == nil {
		s.buffer = make([]byte, readBuffer)
	}
	in := &intake{session: s, silence: silence, yield: yield}
	silence.begins()
	err = drain(response.Body, in, s.buffer)
	silence.ends()
	switch {
	case in.left:
		return true, nil
	case s.ctx.Err() != nil && !s.ended: // the connection's context ends a moment later
		return false, s.ctx.Err()
	case s.failure != nil:
		return false, s.failure
	case s.ended:
		return false, nil
	case err == nil:
		return false, s.cut(io.ErrUnexpectedEOF)
	}
	return false, lost(ctx, s.operation, err, s.cut(err))
}

// intake receives the bytes of a connection. A body may write them itself (io.WriterTo): the page's body
// does, which avoids waking a goroutine for each piece.
type intake struct {
	*session
	silence *silence
	yield   func([]Part, error) bool
	left    bool // the reader has left
}

// errRead ends a connection whose intake needs no more bytes.
var errRead = errors.New("no more bytes are needed")

// Write yields the events that the bytes complete. It blocks only in yield.
func (in *intake) Write(p []byte) (int, error) {
	in.silence.ends()
	if in.ctx.Err() != nil {
		return 0, in.ctx.Err()
	}
	in.patience.rest()
	events, failure := in.feed(p)
	in.learn()
	in.left = len(events) > 0 && !in.yield(events, nil)
	if in.left || failure != nil || in.ended {
		return 0, errRead
	}
	in.silence.begins()
	return len(p), nil
}

// drain copies a body to w until it ends. It is io.Copy without the code that io.Copy would add to
// the wasm.
func drain(body io.Reader, w io.Writer, buffer []byte) error {
	if body, ok := body.(io.WriterTo); ok {
		_, err := body.WriteTo(w)
		return err
	}
	for {
		n, err := body.Read(buffer)
		if n > 0 {
			if _, err := w.Write(buffer[:n]); err != nil {
				return err
			}
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

type discard struct{}

func (discard) Write(p []byte) (int, error) { return len(p), nil }

// mend decides what to do after a connection that ended too early: try again, end the answer with
// the stored message, or fail.
func (s *session) mend(ctx context.Context, tries *retries, err error) ([]Part, error) {
	if isInterruption(err) {
		err = s.cut(err)
	}
	failure, ok := errors.AsType[*APIError](err)
	switch {
	case !ok:
		return nil, err
	case s.over:
		return nil, s.failed(failure)
	}
	// Without ids nobody knows what is missing.
	resumes := s.streamID != "" && (s.lastID > 0 || !s.begun)
	var finish func() ([]Part, error) // ends the answer with the stored message
	switch {
	case s.unproven != nil:
		finish = s.replaced
	case resumes && !s.completed && (failure.Status == 410 || failure.Status == 400):
		finish = s.fromStored
	}
	if finish != nil {
		events, err := finish()
		if failure, ok = errors.AsType[*APIError](err); !ok {
			return events, err
		}
		if s.over {
			return nil, s.failed(failure)
		}
		// The stored message could not be read this time. The next connection leads here again.
	}
	again, ended := s.again(ctx, tries, failure, resumes)
	if again || ended != nil {
		return nil, ended
	}
	if s.completed { // the whole answer was read and proven; only the end event is missing
		return []Part{newPart(wire.EventEnd, "", nil)}, nil
	}
	return nil, s.failed(failure)
}

// again waits before the next connection, and reports whether there is one. The client tries to
// resume for Config.ResumeTimeout. If only the end event is missing, or if the request is sent again,
// Config.MaxRetries is the limit.
func (s *session) again(ctx context.Context, tries *retries, failure *APIError, resumes bool) (bool, error) {
	switch {
	case resumes && !s.completed:
		return s.patience.again(ctx, failure)
	case resumes || !s.begun && s.request.mayRepeat():
		return tries.again(ctx, failure)
	}
	return false, nil
}

// failed completes the error that ends the answer.
func (s *session) failed(failure *APIError) *APIError {
	if s.begun && (failure.Code == wire.CodeNetwork || failure.Code == wire.CodeTimeout) {
		failure = s.cut(failure)
	}
	failure.Partial = s.text.String()
	return failure
}

// whole turns an answer that came as plain JSON into one chunk and its completion. It returns
// nothing if the answer has a stream that has to be read.
func (s *session) whole(ctx context.Context, response *Response) ([]Part, error) {
	if s.streamID != "" {
		return nil, s.cut(errors.New("the service answered with something other than the stream"))
	}
	a, err := s.client.readReply(ctx, s.operation, response, jsontext.Object)
	if err != nil {
		return nil, err
	}
	value, err := s.client.sent(a)
	if err != nil {
		return nil, err
	}
	message := value.Get("message")
	if id := text(value, "stream_id"); id != "" { // it waits for a tool call, and its stream has the rest
		s.streamID, s.chatID, s.messageID = id, text(value, "chat_id"), text(value, "message_id")
		return nil, nil
	}
	var start body
	start.string("chat_id", text(value, "chat_id"))
	start.string("message_id", text(value, "message_id"))
	events := []Part{newPart(wire.EventStart, "", wire.JSON(start.bytes()))}
	if content := text(message, "content"); content != "" {
		events = append(events, chunkOf(content))
	}
	if name := text(value, "chat_name"); name != "" {
		events = append(events, newPart(wire.EventChatName, name, nil))
	}
	return append(events, newPart(wire.EventComplete, "", wire.JSON(message)), newPart(wire.EventEnd, "", nil)), nil
}

// ErrDetached is a cause to cancel a context with (context.CancelCauseFunc). If the context of an
// answer ends with it, the service finishes the answer, as with SendMessageOptions.DetachOnAbort.
// Tool.Run may return it too.
var ErrDetached = errors.New("the reader left, and the service finishes the answer")

// abandon stops an answer that nobody reads any more, in the background. It does not stop a parked
// answer, which waits for somebody else.
func (s *session) abandon(ctx context.Context) {
	if s.detach || context.Cause(ctx) == ErrDetached || s.completed || s.parked() || s.ended || s.streamID == "" && (s.request == nil || !s.request.sent) {
		return
	}
	key := ""
	if s.request != nil {
		key = s.request.Header[keyHeader]
	}
	go func() { _, _ = s.client.StopJSON(context.WithoutCancel(ctx), s.streamID, key) }()
}
