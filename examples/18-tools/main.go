// Command 18-tools carries out the calls of the tool refund, which agents.yaml in the same folder
// defines. It checks that the calls come from the service.
package main

import (
	"cmp"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"
)

func main() {
	secret := os.Getenv("REFUND_SECRET")
	if secret == "" {
		log.Fatal("REFUND_SECRET is not set; the service needs the same value")
	}
	listener, err := net.Listen("tcp", cmp.Or(os.Getenv("ADDR"), "127.0.0.1:8081"))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("listening on http://" + listener.Addr().String())
	http.Handle("POST /refund", &refunds{secret: secret, done: map[string]string{}})
	log.Fatal(http.Serve(listener, nil))
}

// refunds pays orders back, once for each call. A real program keeps the answers in a database.
type refunds struct {
	secret string
	mu     sync.Mutex
	done   map[string]string // the answers, by call
}

func (f *refunds) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 64<<10))
	if err != nil || !isSigned(r, string(body), f.secret, time.Now()) {
		http.Error(w, "not a call from the service", http.StatusUnauthorized)
		return
	}
	var asked struct {
		Order  string  `json:"order"`
		Amount float64 `json:"amount"`
	}
	if err := json.Unmarshal(body, &asked); err != nil {
		http.Error(w, "not a refund", http.StatusBadRequest)
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	call := r.Header.Get("Idempotency-Key")
	if f.done[call] == "" {
		// A real program moves the money here.
		f.done[call] = fmt.Sprintf("Paid %.2f back for order %s, refund %d.", asked.Amount, asked.Order, len(f.done)+1)
	}
	fmt.Fprint(w, f.done[call])
}

// isSigned reports whether the service signed the request with the secret, at most five minutes ago.
func isSigned(r *http.Request, body, secret string, now time.Time) bool {
	seconds, given, _ := strings.Cut(strings.TrimPrefix(r.Header.Get("x-chatsdk-signature"), "t="), ",v1=")
	at, err := strconv.ParseInt(seconds, 10, 64)
	if err != nil || now.Sub(time.Unix(at, 0)).Abs() > 5*time.Minute {
		return false
	}
	mac := hmac.New(sha256.New, []byte(secret))
	for _, part := range []string{
		seconds, r.Method, r.RequestURI, r.Header.Get("Idempotency-Key"), r.Header.Get("x-chatsdk-user"), r.Header.Get("x-chatsdk-chat"),
	} {
		io.WriteString(mac, part+"\n")
	}
	io.WriteString(mac, body)
	return hmac.Equal([]byte(hex.EncodeToString(mac.Sum(nil))), []byte(given))
}
