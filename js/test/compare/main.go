// Command compare compares ChatSDK with the clients of openai, Anthropic and the AI SDK under the
// same network faults, and prints a table. Each client has its default settings, runs in Node, and
// speaks its own protocol to a scripted server behind the proxy of js/test/fault. Run it with make
// compare.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/chatsdk/chatsdk/js/test/fault"
	"github.com/chatsdk/chatsdk/js/test/protocol"
)

// client is a column of the table.
type client struct {
	name, title string
	// module is where its version is.
	module   string
	protocol func(words []string) protocol.Protocol
}

var clients = []client{
	{"openai", "openai", "node_modules/openai", protocol.OpenAI},
	{"openai helper", "openai, stream helper", "node_modules/openai", protocol.OpenAI},
	{"anthropic", "@anthropic-ai/sdk", "node_modules/@anthropic-ai/sdk", protocol.Anthropic},
	{"anthropic helper", "@anthropic-ai/sdk, stream helper", "node_modules/@anthropic-ai/sdk", protocol.Anthropic},
	{"ai", "AI SDK, Chat", "node_modules/ai", protocol.AI},
	{"chatsdk", "ChatSDK", "../../..", protocol.ChatSDK},
}

// words are the answer.
var words = []string{"one ", "two ", "three ", "four ", "five ", "six"}

// faultRow is a row of the table: what happens to the first request.
type faultRow struct {
	title  string
	refuse int
	way    fault.Way
	// afterWords of the answer; 0 means before the head.
	afterWords int
}

var faults = []faultRow{
	{title: "none"},
	{title: "reset before headers", way: fault.RST},
	{title: "503 once", refuse: http.StatusServiceUnavailable},
	{title: "401 once", refuse: http.StatusUnauthorized},
	{title: "reset in mid-answer", way: fault.RST, afterWords: 3},
	{title: "polite close in mid-answer", way: fault.End, afterWords: 3},
	{title: "stall, socket open", way: fault.Freeze, afterWords: 3},
}

// patience is how long a client has: longer than ChatSDK takes to notice a
// stall, 25 s.
const patience = 40 * time.Second

// atOnce is how many clients run side by side.
const atOnce = 6

func main() {
	if err := compare(); err != nil {
		fmt.Fprintln(os.Stderr, "compare:", err)
		os.Exit(1)
	}
}

func compare() error {
	verdicts := make([][]string, len(faults))
	problems := make([]error, len(faults)*len(clients))
	var all sync.WaitGroup
	free := make(chan struct{}, atOnce)
	for i, f := range faults {
		verdicts[i] = make([]string, len(clients))
		for j, c := range clients {
			all.Go(func() {
				free <- struct{}{}
				defer func() { <-free }()
				r, err := try(c, f)
				problems[i*len(clients)+j] = err
				verdicts[i][j] = r.verdict(f)
			})
		}
	}
	all.Wait()
	if err := errors.Join(problems...); err != nil {
		return err
	}
	for j, c := range clients {
		if verdicts[0][j] != "whole" {
			return fmt.Errorf("%s: %s without any fault", c.title, verdicts[0][j])
		}
	}
	return printTable(verdicts)
}

// try runs a client against a fault.
func try(c client, f faultRow) (run, error) {
	s := &server{protocol: c.protocol(words), refuse: f.refuse}
	upstream := httptest.NewServer(s)
	defer upstream.Close()
	defer upstream.CloseClientConnections()
	first := make(chan struct{}, 1)
	first <- struct{}{}
	proxy, err := fault.Start(strings.TrimPrefix(upstream.URL, "http://"), func(*http.Request) fault.Plan {
		select {
		case <-first:
			return f.plan(s.protocol)
		default:
			return fault.Plan{}
		}
	})
	if err != nil {
		return run{}, err
	}
	defer proxy.Close()
	return ask(c, proxy.URL, s)
}

// plan is the fault of the first response.
func (f faultRow) plan(p protocol.Protocol) fault.Plan {
	plan := fault.Plan{Way: f.way, At: fault.AtByte(0)}
	if f.afterWords > 0 {
		plan.At = fault.InEvent(p.Before+f.afterWords+1, 0)
	}
	return plan
}

func ask(c client, address string, s *server) (run, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 2*patience)
	defer cancel()
	command := exec.CommandContext(ctx, "node", "client.mjs", c.name, address, strconv.FormatInt(patience.Milliseconds(), 10))
	command.Stderr = os.Stderr
	output, err := command.Output()
	if err != nil {
		return run{}, fmt.Errorf("%s: %w", c.title, err)
	}
	var r run
	if err := json.Unmarshal(output, &r); err != nil {
		return run{}, fmt.Errorf("%s printed %q: %w", c.title, output, err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	r.sends, r.keyed = len(s.sent), s.keyed()
	return r, nil
}

// printTable prints the verdicts, with the versions that they are about.
func printTable(verdicts [][]string) error {
	titles := make([]string, len(clients))
	for j, c := range clients {
		version, err := versionOf(c.module)
		if err != nil {
			return err
		}
		titles[j] = c.title + " " + version
	}
	node, err := exec.Command("node", "--version").Output()
	if err != nil {
		return err
	}
	fmt.Printf("%s, Node %s: six words an answer, the fault at the first request, in mid-answer after the third word; %s to wait.\n\n",
		time.Now().UTC().Format(time.DateOnly), strings.TrimSpace(string(node)), patience)
	fmt.Printf("| fault | %s |\n|%s\n", strings.Join(titles, " | "), strings.Repeat(" --- |", 1+len(clients)))
	for i, f := range faults[1:] {
		fmt.Printf("| %s | %s |\n", f.title, strings.Join(verdicts[i+1], " | "))
	}
	return nil
}

func versionOf(module string) (string, error) {
	text, err := os.ReadFile(filepath.Join(module, "package.json"))
	if err != nil {
		return "", err
	}
	var about struct{ Version string }
	err = json.Unmarshal(text, &about)
	return about.Version, err
}
