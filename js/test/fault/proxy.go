// Package fault is a TCP proxy that breaks responses at given places: it cuts
// them, freezes, delays, and drops them before their head. Begin with [Start].
//
// It never changes or reorders the bytes that pass. The one thing it writes by
// itself is the end of a chunked body that is cut with [End].
package fault

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"sync"
	"time"
)

// Proxy is in front of a server and answers each connection once: a connection
// is closed after its first response, so that a place in "the response" is a
// place on the connection.
//
// A response that is cut by [End] stays well-formed. Inside a chunk's data the
// chunk is announced with the length that passes. Inside the head, all of the
// head passes and the body is empty. Inside the framing before or after a
// chunk, the body ends there with the data that came before. A body that is not
// chunked has no such end, and is cut by FIN.
type Proxy struct {
	// URL is the address, without a slash at the end.
	URL string

	target   string
	plan     func(*http.Request) Plan
	listener net.Listener
	all      sync.WaitGroup

	mu     sync.Mutex
	closed bool
	open   map[net.Conn]struct{}
	broken map[Part]int
}

// Start begins to pass requests on to the target, HOST:PORT. The plan is called once for each
// request, from several goroutines. A nil plan breaks nothing. Close ends it.
func Start(target string, plan func(*http.Request) Plan) (*Proxy, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	if plan == nil {
		plan = func(*http.Request) Plan { return Plan{} }
	}
	p := &Proxy{
		URL: "http://" + listener.Addr().String(), target: target, plan: plan, listener: listener,
		open: map[net.Conn]struct{}{}, broken: map[Part]int{},
	}
	p.all.Go(p.accept)
	return p, nil
}

// Close breaks all connections and waits until they are gone.
func (p *Proxy) Close() {
	_ = p.listener.Close()
	p.mu.Lock()
	p.closed = true
	for conn := range p.open {
		_ = conn.Close()
	}
	p.mu.Unlock()
	p.all.Wait()
}

// Broken says how many responses were broken, by the part where they were.
func (p *Proxy) Broken() map[Part]int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return maps.Clone(p.broken)
}

func (p *Proxy) accept() {
	for {
		conn, err := p.listener.Accept()
		if err != nil {
			return // closed
		}
		if p.hold(conn) {
			p.all.Go(func() {
				defer p.release(conn)
				p.serve(conn.(*net.TCPConn))
			})
		}
	}
}

// hold makes Close close a connection too. It reports whether the connection is still needed.
func (p *Proxy) hold(conn net.Conn) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		_ = conn.Close()
		return false
	}
	p.open[conn] = struct{}{}
	return true
}

func (p *Proxy) release(conn net.Conn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.open, conn)
	_ = conn.Close()
}

// exchange is one request and its response.
type exchange struct {
	client *net.TCPConn
	server net.Conn
	plan   Plan
	// gone is closed when the client has closed the connection.
	gone chan struct{}
}

func (p *Proxy) serve(client *net.TCPConn) {
	from := bufio.NewReader(client)
	head, err := readHead(from)
	if err != nil {
		return // a connection that was opened in advance and never used
	}
	request, err := http.ReadRequest(bufio.NewReader(bytes.NewReader(head)))
	if err != nil {
		reset(client)
		return
	}
	x := &exchange{client: client, plan: p.plan(request), gone: make(chan struct{})}
	target := x.plan.Target
	if target == "" {
		target = p.target
	}
	if x.server, err = net.Dial("tcp", target); err != nil || !p.hold(x.server) {
		reset(client)
		return
	}
	defer p.release(x.server)
	p.all.Go(func() { x.send(head, from) })
	p.answer(x, request)
}

// send passes the request on, and ends both connections when the client leaves.
func (x *exchange) send(head []byte, from io.Reader) {
	defer close(x.gone)
	defer func() { _ = x.server.Close() }()
	if _, err := x.server.Write(head); err == nil {
		_, _ = io.Copy(x.server, from)
	}
	_, _ = io.Copy(io.Discard, from) // a server may answer before it has read everything
}

// answer passes the response on, and breaks it as planned.
func (p *Proxy) answer(x *exchange, request *http.Request) {
	r := &response{from: bufio.NewReader(x.server), request: request}
	r.next = r.head
	f := &finder{place: x.plan.At}
	for {
		s, err := r.next()
		if s.isHead && !x.wait(x.plan.Delay) {
			return
		}
		if err == io.EOF {
			x.close()
			return
		}
		if err != nil {
			reset(x.client)
			return
		}
		if x.plan.Way != "" {
			if n, found := f.find(s); found {
				p.count(s.part(n))
				x.breakOff(r, s, n)
				return
			}
		}
		if _, err := x.client.Write(s.bytes()); err != nil {
			return // the client has left
		}
	}
}

// wait reports whether the client is still there after a while.
func (x *exchange) wait(while time.Duration) bool {
	timer := time.NewTimer(while)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-x.gone:
		return false
	}
}

func (p *Proxy) count(part Part) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.broken[part]++
}

// breakOff passes the first n bytes of a segment and breaks the response off.
func (x *exchange) breakOff(r *response, s segment, n int) {
	passes, end := s.bytes()[:n], ""
	if x.plan.Way == End && r.chunked {
		passes, end = ended(s, n), lastChunk
	}
	if _, err := x.client.Write(passes); err != nil || !x.wait(x.plan.Linger) {
		return // the client has left
	}
	_, _ = io.WriteString(x.client, end) // here too it may have left
	switch x.plan.Way {
	case RST:
		reset(x.client)
	case Freeze:
		<-x.gone
	default:
		x.close()
	}
}

// lastChunk ends a chunked body.
const lastChunk = "0\r\n\r\n"

// ended replaces a segment if the body ends after n of its bytes.
func ended(s segment, n int) []byte {
	if s.isHead {
		return s.before
	}
	if size := min(n-len(s.before), len(s.data)); size > 0 {
		return fmt.Appendf(nil, "%x\r\n%s\r\n", size, s.data[:size])
	}
	return nil
}

// close says that nothing more comes, and waits until the client closes too:
// closing at once would reset the connection if anything were still to be read.
func (x *exchange) close() {
	_ = x.client.CloseWrite()
	_ = x.server.Close()
	<-x.gone
}

// reset closes a connection with RST.
func reset(conn *net.TCPConn) {
	_ = conn.SetLinger(0)
	_ = conn.Close()
}
