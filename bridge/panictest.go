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

// testable lets createChat fail in the ways that a Go program can, so that a
// test sees what a page gets. Only js/test builds with this tag.
func (b *bridge) testable(o named) operation {
	if o.name != "createChat" {
		return o.run
	}
	return func(c *call) (wire.JSON, error) {
		name := c.object.Get("name").Text()
		switch fail := b.failures()[name]; {
		case name == "memory":
			return memory(), nil
		case name == "collect at each chance":
			return b.collect(), nil
		case name == "timer": // one that is still to come
			time.AfterFunc(time.Hour, func() {})
		case fail != nil:
			fail()
			<-b.ctx.Done()
			return nil, b.ctx.Err()
		}
		return o.run(c)
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

// later has JavaScript call back.
func (b *bridge) later(run func()) {
	callback := b.export(func([]safejs.Value) any {
		run()
		return nil
	})
	_, _ = b.host.Call("token", 0, callback)
}

// memory tells how much is alive after a collection. A callback that was never
// released shows as objects, a goroutine that nobody ended as itself.
func memory() wire.JSON {
	for range 3 { // finalizers, which let go of JavaScript values, run between collections
		runtime.GC()
		time.Sleep(time.Millisecond)
	}
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return wire.JSON(`{"objects":` + strconv.FormatUint(stats.HeapObjects, 10) + `,"goroutines":` + strconv.Itoa(runtime.NumGoroutine()) + `}`)
}

// collect has the collector run all the time from now on: at each growth of 1 % and once a
// millisecond. It tells how many times the collector has run.
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

// setGCPercent is runtime/debug's, whose package would bring fmt and os along.
//
//go:linkname setGCPercent runtime/debug.setGCPercent
func setGCPercent(percent int32) int32

func overflow(depth int) int { return overflow(depth+1) + 1 }

// hoard asks for memory until there is none.
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
