package httpapi

import (
	"net/http"
	"time"
)

const (
	headerTime  = 10 * time.Second
	idleTime    = 2 * time.Minute
	headerBytes = 64 << 10
	pingTime    = 15 * time.Second
)

// Server returns a server for what New or Demo returned. It speaks HTTP/1.1 and
// HTTP/2, the latter without TLS too, for a proxy in front. No timeout of it
// cuts a stream: bodies and writes have their own. The caller serves and shuts
// it down.
func Server(handler http.Handler) *http.Server {
	var protocols http.Protocols
	protocols.SetHTTP1(true)
	protocols.SetHTTP2(true)
	protocols.SetUnencryptedHTTP2(true)
	return &http.Server{
		Handler:           handler,
		ReadHeaderTimeout: headerTime,
		IdleTimeout:       idleTime,
		MaxHeaderBytes:    headerBytes,
		Protocols:         &protocols,
		HTTP2:             &http.HTTP2Config{SendPingTimeout: pingTime, PingTimeout: pingTime, WriteByteTimeout: writeTime},
	}
}
