package test_test

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/chromedp/cdproto/page"
	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/js/test"
)

// reading begins to read an answer in paced pieces, and returns when the first piece has arrived.
const reading = `
	const first = kit.deferred();
	globalThis.outcome = kit.stream(sdk, "slow", { onChunk: first.resolve });
	await first.promise;`

// requireOnce requires a complete answer, with each piece once.
func requireOnce(t *testing.T, p *test.Page, pieces ...string) {
	t.Helper()
	got := test.Eval[streamed](p, `return outcome`)
	require.Equal(t, "resolved", got.Outcome)
	require.Equal(t, strings.Join(pieces, ""), got.Text)
	require.Equal(t, []string{"onComplete", "onMessageEnd"}, got.Names[len(got.Names)-2:])
	require.NotContains(t, got.Names, "onError")
}

// The SDK with its defaults, and a network that is down for this long.
func TestAnAnswerOutlivesAnOutage(t *testing.T) {
	t.Parallel()
	inPageAlone(t, "it takes the page offline, but not a worker")
	for _, seconds := range []int{1, 5, 20, 90} {
		t.Run(strconv.Itoa(seconds)+" s", func(t *testing.T) {
			t.Parallel()
			model := test.NewModel(t)
			answer := pace(model, "slow", "one ", "two ", "three")
			service := suite.Service(t, append(model.Env(), "PROVIDER_TIMEOUT=10m")...) // the model waits as long as the test
			config := service.Config(t, "ada")
			delete(config, "maxRetries")
			p := suite.SDKPage(t, service.Origin, test.ModulePage, config)
			p.Do(reading)
			p.Offline(true)
			service.Break()
			close(answer.gates[1]) // the service writes on meanwhile
			time.Sleep(time.Duration(seconds) * time.Second)
			if test.Browser() != "webkit" { // WebDriver cuts the network, and the page is not told
				require.False(t, test.Eval[bool](p, `return navigator.onLine`))
			}
			p.Offline(false)
			close(answer.gates[2])
			requireOnce(t, p, "one ", "two ", "three")
			require.EqualValues(t, 1, answer.asked.Load())
		})
	}
}

// shiftedClock lets the test set the page's wall clock, as people, time servers and sleep do.
const shiftedClock = `
	const Wall = Date;
	globalThis.shift = 0;
	globalThis.Date = class extends Wall {
		constructor(...args) { if (args.length > 0) super(...args); else super(Wall.now() + shift); }
		static now() { return Wall.now() + shift; }
	};`

// A phone that slept for ten minutes during an answer, and has no network for five seconds
// afterwards.
func TestAnAnswerOutlivesASleep(t *testing.T) {
	t.Parallel()
	inPageAlone(t, "it takes the page offline, but not a worker")
	model := test.NewModel(t)
	answer := pace(model, "slow", "one ", "two ", "three")
	service := suite.Service(t, model.Env()...)
	p := suite.SDKPage(t, service.Origin, test.ModulePage, service.Config(t, "ada"), shiftedClock)
	p.Do(reading)
	test.Call(p, page.SetWebLifecycleState, page.SetWebLifecycleStateParams{State: page.SetWebLifecycleStateStateFrozen})
	p.Offline(true)
	service.Break()
	close(answer.gates[1])
	p.Do(`shift = 600_000`)
	test.Call(p, page.SetWebLifecycleState, page.SetWebLifecycleStateParams{State: page.SetWebLifecycleStateStateActive})
	p.Do(`document.dispatchEvent(new Event("visibilitychange", { bubbles: true })); dispatchEvent(new Event("pageshow"))`)
	time.Sleep(5 * time.Second)
	p.Offline(false)
	close(answer.gates[2])
	requireOnce(t, p, "one ", "two ", "three")
}

// Attempts that fail at once although the device believes that it is online, as after a sleep: more of
// them than a request gets.
func TestAnAnswerOutlivesANetworkThatIsNotUpYet(t *testing.T) {
	t.Parallel()
	var asked, refused atomic.Int32
	cut := make(chan struct{})
	service := suite.Fake(t, func(w http.ResponseWriter, r *http.Request) {
		switch n := asked.Add(1); {
		case n == 1:
			test.NewStream(w).Chunk("one ")
			<-cut
			panic(http.ErrAbortHandler)
		case n < 6:
			refused.Add(1)
			panic(http.ErrAbortHandler)
		}
		test.NewStream(w).Chunk("one ").Chunk("two").Complete()
	})
	config := service.Config()
	config["maxRetries"] = 0
	p := suite.SDKPage(t, service.Origin, test.ScriptPage, config)
	p.Do(reading)
	close(cut)
	requireOnce(t, p, "one ", "two")
	require.EqualValues(t, 4, refused.Load())
}

// A dead connection is noticed whatever happens to the wall clock, and a live one costs at most one
// reconnect.
func TestTheClockIsSet(t *testing.T) {
	t.Parallel()
	for _, shift := range []int{-3_600_000, 3_600_000} {
		t.Run(fmt.Sprintf("by %d h, a dead connection", shift/3_600_000), func(t *testing.T) {
			t.Parallel()
			inPageAlone(t, "a worker has its own clock")
			var asked atomic.Int32
			gone := make(chan struct{})
			service := suite.Fake(t, func(w http.ResponseWriter, r *http.Request) {
				if asked.Add(1) == 1 {
					test.NewStream(w).Chunk("one ")
					select {
					case <-r.Context().Done():
					case <-gone:
					}
					return
				}
				test.NewStream(w).Chunk("one ").Chunk("two").Complete()
			})
			t.Cleanup(func() { close(gone) })
			config := service.Config()
			config["stallTimeout"] = 1000
			p := suite.SDKPage(t, service.Origin, test.ScriptPage, config, shiftedClock)
			p.Do(reading)
			p.Do(`shift = $1`, shift)
			requireOnce(t, p, "one ", "two")
			require.EqualValues(t, 2, asked.Load())
		})
		t.Run(fmt.Sprintf("by %d h, a live connection", shift/3_600_000), func(t *testing.T) {
			t.Parallel()
			inPageAlone(t, "a worker has its own clock")
			model := test.NewModel(t)
			answer := pace(model, "slow", "one ", "two ", "three")
			service := suite.Service(t, model.Env()...)
			p := suite.SDKPage(t, service.Origin, test.ModulePage, service.Config(t, "ada"), shiftedClock)
			p.Do(reading)
			before := len(service.Calls())
			p.Do(`shift = $1; document.dispatchEvent(new Event("visibilitychange", { bubbles: true }))`, shift)
			close(answer.gates[1])
			p.Do(`shift = 0`)
			close(answer.gates[2])
			requireOnce(t, p, "one ", "two ", "three")
			require.LessOrEqual(t, len(service.Calls())-before, 1)
		})
	}
}
