//go:build js && wasm && panictest

package bridge

import (
	"runtime"
	"strconv"
	"syscall"
	"time"
	_ "unsafe" // for go:linkname

	"github.com/hack-pad/safejs"

	"github.com/chatsdk/chatsdk/sdk/wire"
)

// testable makes createChat fail in the ways in which a Go program can fail, so that a test sees what
// the page gets. Only js/test builds with this tag.
func (b *bridge) testable(name string, run operation) operation {
	if name != "createChat" {
		return run
	}
	return func(c *call) (wire.JSON, error) {
		name := c.object.Get("name").Text()
		switch fail := b.failures()[name]; {
		case name == "memory":
			return memory(), nil
		case name == "collect at each chance":
			return b.collect(), nil
		case name == "timer": // a timer that fires much later
			time.AfterFunc(time.Hour, func() {})
		case fail != nil:
			fail()
			<-b.ctx.Done()
			return nil, b.ctx.Err()
		}
		return run(c)
	}
}

func (b *bridge) failures() map[string]func() {
	return map[string]func(){
		"panic in the operation":     func() { panic("on purpose") },
		"panic in a goroutine":       func() { b.spawn(func() { panic("on purpose") }) },
		"panic in a callback":        func() { b.later(func() { panic("on purpose") }) },
		"panic that nobody recovers": func() { time.AfterFunc(time.Millisecond, func() { panic("on purpose") }) },
		"exit":                       func() { syscall.Exit(3) },
		"stack overflow":             func() { overflow(0) },
		"out of memory":              func() { hoard() },
	}
}

// later lets JavaScript call run.
func (b *bridge) later(run func()) {
	callback, err := safejs.FuncOf(func(safejs.Value, []safejs.Value) any {
		defer b.recover()
		run()
		return nil
	})
	if err != nil {
		panic(err) // FuncOf fails only for types that it does not accept
	}
	promise, _ := safejs.Global().Get("Promise")
	resolved, _ := promise.Call("resolve")
	_, _ = resolved.Call("then", callback)
}

// memory returns how many objects and goroutines are alive after a garbage collection. Callbacks that
// were never released count as objects.
func memory() wire.JSON {
	for range 3 { // finalizers run between collections and release JavaScript values
		runtime.GC()
		time.Sleep(time.Millisecond)
	}
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return wire.JSON(`{"objects":` + strconv.FormatUint(stats.HeapObjects, 10) + `,"goroutines":` + strconv.Itoa(runtime.NumGoroutine()) + `}`)
}

// collect makes the garbage collector run all the time from now on: at each growth of 1 %, and once a
// millisecond. It returns how many times the collector has run.
func (b *bridge) collect() wire.JSON {
	if setGCPercent(1) != 1 {
		b.spawn(func() {
			for b.ctx.Err() == nil {
				runtime.GC()
				time.Sleep(time.Millisecond)
			}
		})
	}
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return wire.JSON(`{"collections":` + strconv.Itoa(int(stats.NumGC)) + `}`)
}

// setGCPercent is from runtime/debug. Importing that package would add fmt and os.
//
//go:linkname setGCPercent runtime/debug.setGCPercent
func setGCPercent(percent int32) int32

func overflow(depth int) int { return overflow(depth+1) + 1 }

// hoard allocates memory until there is none left.
func hoard() {
	var all [][]byte
	for {
		block := make([]byte, 256<<20)
		block[0] = 1
		all = append(all, block)
		if len(all) > 1<<20 {
			return
		}
	}
}
