package httpapi_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/chat/imagetest"
)

// A body must keep its pace in every 30 s: a fast beginning gives no extra time later.
func TestBodiesThatSlowDown(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name string
		// pace is in KiB a second, after 2 MiB that arrived at once.
		pace int
		// most is how long it may take until it is refused.
		least, most time.Duration
	}{
		{"to nothing", 0, 30 * time.Second, 30 * time.Second},
		{"to less than the floor", 12, 30 * time.Second, 60 * time.Second},
		{"to a little above the floor", 18, 0, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := start(t, func(up *setup) { up.http.Limits.JSONBytes = 0 })
				seconds := 100
				rest := test.pace << 10 * seconds
				begin, end := `{"project_id":"demo","x":"`+strings.Repeat("a", 2<<20), `"}`
				conn := s.listen(t).requests(t, "POST", "/chat/create", as("ann").json(), begin, len(begin)+rest+len(end)+1)
				begun := time.Now()
				trickle := make(chan struct{})
				go func() {
					defer close(trickle)
					var err error
					for sent := 0; sent < rest && err == nil; sent += test.pace << 10 {
						time.Sleep(time.Second)
						_, err = io.WriteString(conn, strings.Repeat("a", test.pace<<10))
					}
					if rest > 0 {
						_, _ = io.WriteString(conn, end+" ")
					}
				}()
				w := answered(t, conn)
				require.NoError(t, conn.Close())
				<-trickle
				if test.most == 0 {
					require.Equal(t, 200, w.Code)
					return
				}
				refusal(t, w, 400, wire.CodeValidation)
				require.Contains(t, w.Body.String(), "The body arrived too slowly")
				took := time.Since(begun) - 10*time.Second // the time that a refused client is granted
				require.GreaterOrEqual(t, took, test.least)
				require.LessOrEqual(t, took, test.most)
			})
		})
	}
}

// takes reads an answer at this many KiB a second, and returns how long that took.
func takes(t *testing.T, conn net.Conn, pace int) (whole bool, took time.Duration) {
	t.Helper()
	begun := time.Now()
	slowly := &slowReader{conn, pace << 10}
	response, err := http.ReadResponse(bufio.NewReaderSize(slowly, 16), nil)
	require.NoError(t, err)
	n, _ := io.Copy(io.Discard, response.Body)
	return n == response.ContentLength, time.Since(begun)
}

// slowReader reads this many bytes a second.
type slowReader struct {
	from io.Reader
	pace int
}

func (r *slowReader) Read(part []byte) (int, error) {
	n, err := io.ReadFull(r.from, part[:min(len(part), r.pace)])
	time.Sleep(time.Duration(n) * time.Second / time.Duration(r.pace))
	return n, err
}

// An answer is cut if its reader takes less than 8 KiB a second, and is sent completely if the
// reader takes more, however long that takes.
func TestReadersHaveAPace(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		pace  int
		whole bool
	}{{1, false}, {5, false}, {12, true}, {50, true}} {
		t.Run(fmt.Sprintf("%d KiB a second", test.pace), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := start(t, func(up *setup) {
					lengthy(up)
					up.http.Limits.ImageBytes = 1 << 20
				})
				sent := s.newChat("ann")
				_, addresses := s.sendImages(file("a.png", append(imagetest.PNG(1, 1), make([]byte, 800<<10)...)))
				p := s.listen(t)
				for _, answer := range []struct {
					target string
					size   int
				}{{"/project/demo/chat/" + sent.ChatID + "/all", 300}, {addresses[0], 800}} {
					whole, took := takes(t, p.requests(t, "GET", answer.target, as("ann"), "", 0), test.pace)
					require.Equal(t, test.whole, whole)
					if whole {
						require.Greater(t, took, time.Duration(answer.size/test.pace)*time.Second-time.Second)
					} else {
						require.Less(t, took, time.Minute)
					}
				}
			})
		})
	}
}
