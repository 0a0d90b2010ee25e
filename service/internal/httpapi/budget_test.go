package httpapi_test

import (
	"bufio"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/answering"
	"github.com/chatsdk/chatsdk/service/internal/chat/imagetest"
	"github.com/chatsdk/chatsdk/service/internal/httpapi"
)

// bounded starts a service with this much room, in KiB.
func bounded(t *testing.T, process, perUser int64) *service {
	return start(t, func(up *setup) {
		up.http.Limits.BytesInFlight, up.http.Limits.BytesInFlightPerUser = process<<10, perUser<<10
	})
}

var inFlight = regexp.MustCompile(`(?m)^chatsdk_bytes_in_flight (\d+)$`)

// inFlight returns the bytes in flight from the metrics.
func (s *service) inFlight() int {
	found := inFlight.FindStringSubmatch(s.do("GET", "/metrics", asServer(), "").Body.String())
	require.NotNil(s.t, found)
	bytes, err := strconv.Atoi(found[1])
	require.NoError(s.t, err)
	return bytes
}

// requests writes a request to a new connection and then stops writing. length is
// the body length that it declares; came is the part of the body that it sends.
func (p *pipes) requests(t *testing.T, method, target string, h headers, came string, length int) net.Conn {
	conn, err := p.dial(t.Context(), "", "")
	require.NoError(t, err)
	t.Cleanup(func() {
		_ = conn.Close()
		time.Sleep(time.Second) // the time that the server needs to close its end
	})
	head := fmt.Sprintf("%s %s HTTP/1.1\r\nHost: service\r\nContent-Length: %d\r\n", method, target, length)
	for name, value := range h {
		head += name + ": " + value + "\r\n"
	}
	_, err = io.WriteString(conn, head+"\r\n"+came)
	require.NoError(t, err)
	synctest.Wait()
	return conn
}

// unfinished sends a form without its end, with an image of this many KiB.
func (p *pipes) unfinished(t *testing.T, user string, size int) net.Conn {
	image := string(imagetest.PNG(1, 1))
	sent := form(t, field{name: "images", file: "a.png", value: image + strings.Repeat("\x00", size<<10-len(image))})
	came := strings.TrimSuffix(sent.text, "\r\n--border--\r\n")
	return p.requests(t, "POST", "/v3/chat/message", as(user).with("content-type", sent.contentType), came, len(sent.text))
}

// answered reads the answer.
func answered(t *testing.T, conn net.Conn) *httptest.ResponseRecorder {
	t.Helper()
	response, err := http.ReadResponse(bufio.NewReader(conn), nil)
	require.NoError(t, err)
	w := httptest.NewRecorder()
	w.Code = response.StatusCode
	maps.Copy(w.Header(), response.Header)
	_, err = io.Copy(w.Body, response.Body)
	require.NoError(t, err)
	return w
}

// noRoom requires a refusal for lack of room.
func noRoom(t *testing.T, w *httptest.ResponseRecorder, status int, code string) {
	t.Helper()
	refusal(t, w, status, code)
	require.Equal(t, "5", w.Header().Get("Retry-After"))
}

// Unfinished forms hold at most what their user may hold, and together what the process may, and
// all of it is given back.
func TestUnfinishedForms(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := bounded(t, 850, 400)
		p := s.listen(t)
		var held []net.Conn
		for _, user := range []string{"ann", "ann", "ann", "bob", "bob", "bob"} {
			held = append(held, p.unfinished(t, user, 100))
		}
		full := s.inFlight()
		require.Greater(t, full, 600<<10)
		require.Less(t, full, 6*120<<10, "what is held, and little more")
		hers, his := p.unfinished(t, "ann", 100), p.unfinished(t, "carl", 100)
		require.Equal(t, full, s.inFlight(), "a refused form holds nothing, although more of it would arrive")
		noRoom(t, answered(t, hers), 429, wire.CodeQuotaExceeded)
		noRoom(t, answered(t, his), 503, wire.CodeUnavailable)

		for _, conn := range held[:3] {
			require.NoError(t, conn.Close())
		}
		synctest.Wait()
		require.Equal(t, full/2, s.inFlight())
		for _, conn := range held[3:] {
			refusal(t, answered(t, conn), 400, wire.CodeValidation, "images") // too slow
		}
		require.Zero(t, s.inFlight())
		require.Equal(t, 200, s.send(as("ann"), file("a.png", append(imagetest.PNG(1, 1), make([]byte, 300<<10)...))).Code)
		require.Zero(t, s.inFlight())
		require.Equal(t, 1, s.count(t))
	})
}

// While the parts of an image are joined, it is in memory twice.
func TestAnImageThatIsJoinedTakesRoomTwice(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := bounded(t, 300, 0)
		p := s.listen(t)
		image := file("a.png", append(imagetest.PNG(1, 1), make([]byte, 100<<10)...))
		require.Equal(t, 200, s.send(as("ann"), image).Code)
		p.unfinished(t, "bob", 100)
		noRoom(t, s.send(as("ann"), image), 503, wire.CodeUnavailable)
		small := file("a.png", append(imagetest.PNG(1, 1), make([]byte, 20<<10)...))
		require.Equal(t, 200, s.send(as("ann"), small).Code)
	})
}

// Large requests leave a part of the room free for small ones.
func TestSmallRequestsFindRoom(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := bounded(t, 256, 0)
		p := s.listen(t)
		p.unfinished(t, "ann", 120)
		p.unfinished(t, "bob", 60)
		require.Greater(t, s.inFlight(), 190<<10)
		large := p.unfinished(t, "carl", 60)
		small := p.unfinished(t, "dora", 20)
		require.Greater(t, s.inFlight(), 224<<10)
		noRoom(t, answered(t, large), 503, wire.CodeUnavailable)
		require.Equal(t, 200, s.do("POST", "/chat/create", as("carl").json(), `{"project_id":"demo"}`).Code)
		require.NoError(t, small.Close())
	})
}

// The limits also cover the head of a part, an unknown file, JSON and documents.
func TestWhateverIsKeptTakesRoom(t *testing.T) {
	t.Parallel()
	const send, upload, multipart = "/v3/chat/message", "/v3/project/knowledge/add/file", "multipart/form-data; boundary=b"
	begin := "--b\r\nContent-Disposition: form-data; name=\"%s\"\r\n"
	filler := strings.Repeat("a", 60<<10)
	tests := []struct {
		name, path, contentType, came string
		least, most                   int
	}{
		{"a field", send, multipart, fmt.Sprintf(begin, "message") + "\r\n" + filler, 60 << 10, 136 << 10},
		{"an unknown field", send, multipart, fmt.Sprintf(begin, "x") + "\r\n" + filler, 60 << 10, 136 << 10},
		{"a head", send, multipart, fmt.Sprintf(begin, "x") + "X: " + filler, 56 << 10, 64 << 10},
		{"a document", upload, multipart, fmt.Sprintf(begin, "file\"; filename=\"a.txt") + "\r\n" + filler, 56 << 10, 136 << 10},
		{"a head of a document", upload, multipart, fmt.Sprintf(begin, "x") + "X: " + filler, 56 << 10, 64 << 10},
		{"JSON", "/chat/create", "application/json", `{"project_id":"demo","x":"` + filler, 60 << 10, 128 << 10},
		{"a file that is skipped", send, multipart, fmt.Sprintf(begin, "x\"; filename=\"x") + "\r\n" + filler, 0, 4 << 10},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := bounded(t, 0, 0)
				conn := s.listen(t).requests(t, "POST", test.path, as("ann").with("content-type", test.contentType), test.came, 1<<20)
				if test.name == "JSON" {
					refusal(t, answered(t, conn), 413, wire.CodePayloadTooLarge) // it is too large
					conn = s.listen(t).requests(t, "POST", test.path, as("ann").with("content-type", test.contentType), test.came, 64<<10)
				}
				require.GreaterOrEqual(t, s.inFlight(), test.least)
				require.LessOrEqual(t, s.inFlight(), test.most)
				require.NoError(t, conn.Close())
				synctest.Wait()
				require.Zero(t, s.inFlight())
			})
		})
	}
}

// A body that will never have room is too large, and should not be tried again.
func TestBodiesLargerThanAllRoom(t *testing.T) {
	t.Parallel()
	for _, room := range [][2]int64{{0, 100}, {100, 0}, {100, 200}, {200, 100}} {
		s := bounded(t, room[0], room[1])
		image := append(imagetest.PNG(1, 1), make([]byte, 200<<10)...)
		refusal(t, s.send(as("ann"), file("a.png", image)), 413, wire.CodePayloadTooLarge, "images")
		require.Equal(t, 200, s.send(as("ann"), file("a.png", image[:60<<10])).Code)
	}
}

// An answer that is larger than all room is sent if nothing else is in flight, because it would
// never have room.
func TestAnswersLargerThanAllRoom(t *testing.T) {
	t.Parallel()
	for _, room := range [][2]int64{{0, 100}, {100, 0}, {100, 100}} {
		s := start(t, func(up *setup) {
			lengthy(up)
			up.http.Limits.BytesInFlight, up.http.Limits.BytesInFlightPerUser = room[0]<<10, room[1]<<10
		})
		w := s.do("GET", "/project/demo/chat/"+s.newChat("ann").ChatID+"/all", as("ann"), "")
		require.Equal(t, 200, w.Code)
		require.Greater(t, w.Body.Len(), 300<<10)
	}
}

// lengthy is a model whose answers make a history of 300 KiB.
func lengthy(up *setup) {
	up.provider = say(answering.Piece{Text: strings.Repeat("word ", 60<<10), FinishReason: wire.FinishStop})
}

// What slow readers of answers hold has the same bounds, and they don't hold it for long. A single
// answer is sent, however large it is.
func TestSlowReaders(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := start(t, func(up *setup) {
			lengthy(up)
			up.http.Limits.BytesInFlight, up.http.Limits.BytesInFlightPerUser = 750<<10, 200<<10
		})
		chats := map[string]string{}
		for _, user := range []string{"ann", "bob", "carl"} {
			chats[user] = s.newChat(user).ChatID
		}
		p := s.listen(t)
		history := func(user string) net.Conn {
			return p.requests(t, "GET", "/project/demo/chat/"+chats[user]+"/all", as(user), "", 0)
		}
		history("ann")
		require.Greater(t, s.inFlight(), 300<<10)
		noRoom(t, answered(t, history("ann")), 429, wire.CodeQuotaExceeded)
		require.Equal(t, 200, s.do("GET", "/project/demo/chat", as("ann"), "").Code, "a small answer is sent in any case")
		history("bob")
		full := s.inFlight()
		require.Greater(t, full, 600<<10)
		noRoom(t, answered(t, history("carl")), 503, wire.CodeUnavailable)
		require.Equal(t, full, s.inFlight())

		time.Sleep(30 * time.Second)
		synctest.Wait()
		require.Zero(t, s.inFlight(), "a reader that takes nothing is cut off")
		require.Equal(t, 200, answered(t, history("carl")).Code)
		synctest.Wait()
		require.Zero(t, s.inFlight())
	})
}

// A large batch of a stream takes room. If there is no room, its reader has to resume.
func TestSlowReadersOfStreams(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := start(t, func(up *setup) {
			lengthy(up)
			up.http.Limits.BytesInFlightPerUser = 200 << 10
		})
		whole, begun := s.streamed(as("ann"))
		require.Greater(t, len(whole), 600<<10)
		p := s.listen(t)
		resume := func() net.Conn {
			return p.requests(t, "GET", "/v3/chat/stream/"+begun.StreamID, as("ann"), "", 0)
		}
		resume()
		require.Greater(t, s.inFlight(), 600<<10)
		_, err := http.ReadResponse(bufio.NewReader(resume()), nil)
		require.ErrorIs(t, err, io.ErrUnexpectedEOF, "the connection is closed")

		time.Sleep(30 * time.Second)
		synctest.Wait()
		require.Zero(t, s.inFlight())
		require.Equal(t, whole, answered(t, resume()).Body.String())
		synctest.Wait()
		require.Zero(t, s.inFlight())
	})
}

// Images are fetched without credentials. All readers of images count as one caller, who is not a
// user.
func TestSlowReadersOfImages(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := bounded(t, 0, 250)
		_, addresses := s.sendImages(file("a.png", append(imagetest.PNG(1, 1), make([]byte, 100<<10)...)))
		p := s.listen(t)
		for range 2 {
			p.requests(t, "GET", addresses[0], nil, "", 0)
		}
		noRoom(t, answered(t, p.requests(t, "GET", addresses[0], nil, "", 0)), 429, wire.CodeQuotaExceeded)
		_, addresses = s.sendImages(file("a.png", append(imagetest.PNG(1, 1), make([]byte, 100<<10)...)))
		time.Sleep(30 * time.Second)
		synctest.Wait()
		require.Equal(t, 200, answered(t, p.requests(t, "GET", addresses[0], nil, "", 0)).Code)
		synctest.Wait()
		require.Zero(t, s.inFlight())
	})
}

// The reader of a stream holds one batch. Once its request is stored, none of that is held.
func TestReadersOfStreamsHoldNothing(t *testing.T) {
	t.Parallel()
	for _, accept := range []string{"text/event-stream", "application/json"} {
		synctest.Test(t, func(t *testing.T) {
			s := start(t, func(up *setup) {
				up.provider = slow(1, time.Minute)
				up.http.Limits.BytesInFlightPerUser = 400 << 10
			})
			sent := form(t, field{name: "message", value: "Hi"}, field{name: "project_id", value: project},
				file("a.png", append(imagetest.PNG(1, 1), make([]byte, 100<<10)...)))
			p := s.listen(t)
			var conns []net.Conn
			for range 10 {
				h := as("ann").with("accept", accept).with("content-type", sent.contentType)
				conns = append(conns, p.requests(t, "POST", "/v3/chat/message", h, sent.text, len(sent.text)))
				time.Sleep(time.Second) // one of many questions waits to be stored together with others
			}
			require.Equal(t, 10, s.chat.Running())
			require.Zero(t, s.inFlight())
			for _, conn := range conns {
				require.NoError(t, conn.Close())
			}
		})
	}
}

// An image is read into memory once, and joined once: its digest needs no copy, and no slice grows.
func TestImagesAreNotCopied(t *testing.T) { // not parallel: allocations of other tests would count
	const size = 10 << 20
	s := newService(t, func(up *setup) { up.http.Limits.ImageBytes = size })
	served := httpapi.New(s.config)
	sent := form(t, field{name: "message", value: "Hi"}, field{name: "project_id", value: "elsewhere"},
		file("a.png", append(imagetest.PNG(1, 1), make([]byte, size-len(imagetest.PNG(1, 1)))...)))
	r := httptest.NewRequest("POST", "/v3/chat/message", strings.NewReader(sent.text))
	for name, value := range as("ann").with("content-type", sent.contentType) {
		r.Header.Set(name, value)
	}
	w := httptest.NewRecorder()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	served.ServeHTTP(w, r)
	runtime.ReadMemStats(&after)
	refusal(t, w, 404, wire.CodeNotFound)
	took := float64(after.TotalAlloc-before.TotalAlloc) / size
	t.Logf("a form with an image of 10 MiB allocates %.2f times as much", took)
	require.Less(t, took, 2.2)
}
