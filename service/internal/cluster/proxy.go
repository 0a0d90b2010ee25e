//go:build unix

package cluster

import (
	"context"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/http/httputil"
	"sync"
	"sync/atomic"
	"time"
)

const (
	// lookPause is how often the proxy asks the replicas whether they are ready.
	lookPause = 200 * time.Millisecond
	// lookTime is how long an answer to that may take.
	lookTime = time.Second
)

// Proxy distributes requests over replicas in turn. A replica that isn't ready gets no new
// requests, and one that refuses the connection is skipped. A request that was sent is never sent
// again. The caller calls Close.
type Proxy struct {
	replicas  []*Replica
	ready     []atomic.Bool
	next      atomic.Uint64
	transport *http.Transport
	listener  net.Listener
	server    *http.Server
	connected atomic.Int64 // counts the requests that got a connection to a replica
	looking   sync.WaitGroup
	cancel    context.CancelFunc
}

// NewProxy starts a proxy at an address. It knows which replicas are ready.
func NewProxy(address string, replicas []*Replica) (*Proxy, error) {
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return nil, err
	}
	p := &Proxy{replicas: replicas, ready: make([]atomic.Bool, len(replicas)), listener: listener}
	// Keep-alive is off, because net/http resends some requests on a reused connection.
	p.transport = &http.Transport{DisableKeepAlives: true, DisableCompression: true}
	reverse := &httputil.ReverseProxy{
		Rewrite: func(*httputil.ProxyRequest) {}, Transport: p, FlushInterval: -1,
		ErrorLog:     log.New(io.Discard, "", 0), // if a replica dies, the readers of its answers notice
		ErrorHandler: func(w http.ResponseWriter, r *http.Request, err error) { w.WriteHeader(statusOf(err)) },
	}
	p.server = &http.Server{Handler: reverse, ReadHeaderTimeout: time.Minute}
	ctx, cancel := context.WithCancel(context.Background())
	p.cancel = cancel
	p.look(ctx)
	p.looking.Go(func() { p.watch(ctx) })
	p.looking.Go(func() { _ = p.server.Serve(listener) }) // until Close
	return p, nil
}

// Address is the proxy's HOST:PORT.
func (p *Proxy) Address() string { return p.listener.Addr().String() }

// Close ends the proxy and its connections.
func (p *Proxy) Close() error {
	p.cancel()
	err := p.server.Close()
	p.looking.Wait()
	return err
}

func (p *Proxy) watch(ctx context.Context) {
	ticker := time.NewTicker(lookPause)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			p.look(ctx)
		}
	}
}

// look asks every replica whether it is ready.
func (p *Proxy) look(ctx context.Context) {
	var all sync.WaitGroup
	for i, r := range p.replicas {
		all.Go(func() {
			if ready := p.isReady(ctx, r); ctx.Err() == nil {
				p.ready[i].Store(ready)
			}
		})
	}
	all.Wait()
}

func (p *Proxy) isReady(ctx context.Context, r *Replica) bool {
	ctx, cancel := context.WithTimeout(ctx, lookTime)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+r.Address()+"/readyz", nil)
	if err != nil {
		return false
	}
	response, err := p.transport.RoundTrip(request)
	if err != nil {
		return false
	}
	_ = response.Body.Close()
	return response.StatusCode == http.StatusOK
}

// Ready returns the number of replicas that are ready.
func (p *Proxy) Ready() (count int) {
	for i := range p.ready {
		if p.ready[i].Load() {
			count++
		}
	}
	return count
}

var errNobody = errors.New("no replica is ready")

func statusOf(err error) int {
	if errors.Is(err, errNobody) {
		return http.StatusServiceUnavailable
	}
	return http.StatusBadGateway
}

// RoundTrip implements http.RoundTripper: it chooses the replica.
func (p *Proxy) RoundTrip(request *http.Request) (*http.Response, error) {
	failed := errNobody
	first := p.next.Add(1)
	connected := &httptrace.ClientTrace{GotConn: func(httptrace.GotConnInfo) { p.connected.Add(1) }}
	for i := range p.replicas {
		n := int((first + uint64(i)) % uint64(len(p.replicas)))
		if !p.ready[n].Load() {
			continue
		}
		sent := request.Clone(httptrace.WithClientTrace(request.Context(), connected))
		sent.URL.Scheme, sent.URL.Host = "http", p.replicas[n].Address()
		if request.Body != nil {
			sent.Body = io.NopCloser(request.Body) // the next replica may have to read it
		}
		response, err := p.transport.RoundTrip(sent)
		if !wasRefused(err) {
			return response, err
		}
		p.ready[n].Store(false) // until it is checked again
		failed = err
	}
	return nil, failed
}

// wasRefused reports whether nothing was sent because there was no connection.
func wasRefused(err error) bool {
	var network *net.OpError
	return errors.As(err, &network) && network.Op == "dial"
}
