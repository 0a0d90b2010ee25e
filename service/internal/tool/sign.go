package tool

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// The headers of a call to an http tool.
const (
	headerCall      = "Idempotency-Key"
	headerUser      = "X-Chatsdk-User"
	headerChat      = "X-Chatsdk-Chat"
	headerSignature = "X-Chatsdk-Signature"

	// signatureLifetime is how old a signature may be when it is received.
	signatureLifetime = 5 * time.Minute
)

// sign sets the headers of a call on a request, the signature last.
func sign(r *http.Request, call Call, body, secret string, at time.Time) {
	r.Header.Set(headerCall, call.ID)
	r.Header.Set(headerUser, percentEncoded(call.UserID))
	r.Header.Set(headerChat, call.ChatID)
	seconds := strconv.FormatInt(at.Unix(), 10)
	r.Header.Set(headerSignature, "t="+seconds+",v1="+signature(r, r.URL.RequestURI(), body, secret, seconds))
}

// signature is the HMAC-SHA256, in hex, of everything that makes a call.
func signature(r *http.Request, path, body, secret, seconds string) string {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(strings.Join([]string{
		seconds, r.Method, path, r.Header.Get(headerCall), r.Header.Get(headerUser), r.Header.Get(headerChat), body,
	}, "\n")))
	return hex.EncodeToString(mac.Sum(nil))
}

// Verify reports whether a request that a server has received is a call that was signed with the
// secret, at most five minutes before or after now. body is the whole body. A tool written in Go
// uses it to authenticate calls. It keeps no list of calls: a call that is sent again has the
// same Idempotency-Key.
func Verify(r *http.Request, body []byte, secret string, now time.Time) error {
	seconds, given, ok := strings.Cut(strings.TrimPrefix(r.Header.Get(headerSignature), "t="), ",v1=")
	at, err := strconv.ParseInt(seconds, 10, 64)
	if !ok || err != nil {
		return errors.New("tool: the signature is missing or malformed")
	}
	if age := now.Sub(time.Unix(at, 0)); age.Abs() > signatureLifetime {
		return errors.New("tool: the time of the signature is more than five minutes off")
	}
	if want := signature(r, r.RequestURI, string(body), secret, seconds); !hmac.Equal([]byte(want), []byte(given)) {
		return errors.New("tool: the signature is wrong")
	}
	return nil
}

// percentEncoded encodes everything except A-Z a-z 0-9 - . _ ~ as %XX (RFC 3986, section 2.3).
func percentEncoded(text string) string {
	return strings.ReplaceAll(url.QueryEscape(text), "+", "%20")
}
