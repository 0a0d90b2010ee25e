//go:build js && wasm

// Command stress does what needs the tables that slim changes: it collects garbage at every
// opportunity, with stacks of all kinds, and recovers from panics of all kinds. Its argument is the
// number of rounds. At the end it prints one line, which sums up what it has seen.
package main

import (
	"fmt"
	"hash/crc32"
	"os"
	"reflect"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"syscall/js"
	"time"
)

var build = "build-not-mapped"

func main() {
	debug.SetGCPercent(1)
	rounds, err := strconv.Atoi(os.Args[1])
	if err != nil {
		panic(err)
	}
	seen := crc32.NewIEEE()
	for round := range rounds {
		for _, do := range []func(int) string{
			deep, panics, goexit, made, methods, callbacks, timers, goroutines, cleanups, defers,
		} {
			fmt.Fprintln(seen, do(round))
		}
	}
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	fmt.Printf("%08x, collected: %t\n", seen.Sum32(), stats.NumGC > uint32(10*rounds))
	if len(os.Args) > 2 {
		pcs := make([]uintptr, 1)
		runtime.Callers(0, pcs) // which is inlined here
		fmt.Printf("trace %s: %x\n", build, pcs[0])
	}
}

// deep has pointers in many frames while its stack grows and garbage is collected.
func deep(round int) string {
	var down func(n int, above *node) int
	down = func(n int, above *node) int {
		here := &node{above: above, text: strings.Repeat("x", n%7)}
		if n%100 == 0 {
			runtime.GC()
		}
		if n == 0 {
			return len(here.text)
		}
		sum := down(n-1, here)
		return sum + len(here.text) + len(here.above.text)
	}
	return fmt.Sprint(down(500+round%10, &node{text: "top"}))
}

type node struct {
	above *node
	text  string
}

type value struct{ n int }

func (v value) Get() int { return v.n }

type getter interface{ Get() int }

// panics recovers from all kinds of panics. For one of them, the runtime reads a function's name.
func panics(round int) string {
	var told []string
	var list []int
	var table map[string]int
	var nothing *node
	var anything any = "text"
	var wrapped getter = (*value)(nil)
	zero := round - round
	for _, fail := range []func(){
		func() { panic("on purpose") },
		func() { _ = list[round] },
		func() { table["x"] = 1 },
		func() { _ = nothing.text },
		func() { _ = anything.(int) },
		func() { _ = wrapped.Get() },
		func() { _ = round / zero },
		func() { _ = make([]int, zero-1) },
		func() { js.Global().Get("nothing").Call("x") },
	} {
		func() {
			defer func() {
				runtime.GC()
				told = append(told, fmt.Sprint(recover()))
			}()
			fail()
		}()
	}
	return strings.Join(told, "; ")
}

func goexit(int) string {
	done := make(chan string)
	go func() {
		defer func() { done <- fmt.Sprint("left ", recover()) }()
		func() {
			defer runtime.GC()
			runtime.Goexit()
		}()
	}()
	return <-done
}

// made goes through reflect.makeFuncStub, which the collector recognises by its name.
func made(round int) string {
	type function func(*node, string, ...int) (*node, error)
	swap := reflect.MakeFunc(reflect.TypeFor[function](), func(args []reflect.Value) []reflect.Value {
		runtime.GC()
		given := args[0].Interface().(*node)
		return []reflect.Value{reflect.ValueOf(&node{given, args[1].String()}), reflect.Zero(reflect.TypeFor[error]())}
	}).Interface().(function)
	got, err := swap(&node{text: strconv.Itoa(round)}, strings.Repeat("y", round%5), 1, 2, 3)
	runtime.GC()
	return fmt.Sprint(got.above.text, got.text, err)
}

func (n *node) Join(others ...*node) string {
	runtime.GC()
	text := n.text
	for _, other := range others {
		text += other.text
	}
	return text
}

// methods goes through reflect.methodValueCall.
func methods(round int) string {
	join := reflect.ValueOf(&node{text: strconv.Itoa(round)}).MethodByName("Join").Interface().(func(...*node) string)
	runtime.GC()
	return join(&node{text: "a"}, &node{text: "b"})
}

// callbacks goes from Go to JavaScript and back.
func callbacks(round int) string {
	back := js.FuncOf(func(_ js.Value, args []js.Value) any {
		runtime.GC()
		return args[0].Int() + len(deep(round))
	})
	defer back.Release()
	return js.Global().Get("Array").Call("of", 1, 2, 3).Call("map", back).Call("join", "+").String()
}

func timers(int) string {
	fired := make(chan int, 3)
	for i := range cap(fired) {
		time.AfterFunc(time.Duration(i)*time.Microsecond, func() {
			runtime.GC()
			fired <- i
		})
	}
	return fmt.Sprint(<-fired + <-fired + <-fired)
}

func goroutines(round int) string {
	var wait sync.WaitGroup
	parts := make([]string, 20)
	for i := range parts {
		wait.Go(func() {
			if i%4 == 0 {
				runtime.GC()
			}
			parts[i] = deep(i) + strconv.Itoa(round)
		})
	}
	wait.Wait()
	return strings.Join(parts, ",")
}

func cleanups(int) string {
	gone := make(chan int, 1)
	runtime.AddCleanup(&node{text: "gone"}, func(n int) { gone <- n }, 7)
	for {
		runtime.GC()
		select {
		case n := <-gone:
			return strconv.Itoa(n)
		default:
			runtime.Gosched()
		}
	}
}

// defers has defers in a loop, defers that the compiler open-codes, and panics in between.
func defers(round int) (told string) {
	defer func() { told += fmt.Sprint(recover()) }()
	for i := range 5 {
		defer func() { told += strconv.Itoa(i) }()
	}
	if round%2 == 0 {
		defer func() {
			runtime.GC()
			defer func() { told += fmt.Sprint(recover()) }()
			panic("within")
		}()
	}
	panic("first")
}
