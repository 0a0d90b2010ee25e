package bench_test

import (
	"encoding/json"
	"fmt"
	"os"
	goruntime "runtime"
	"strings"
	"time"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/cdp"
	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/js/test"
)

// modules are the modules whose versions are printed.
var modules = []string{"openai", "@anthropic-ai/sdk", "ai", "eventsource-parser"}

// conditions says when, with what and where it was measured.
func (b *bench) conditions() string {
	about := test.Call(b.page(), browser.GetVersion, cdp.Empty{})
	versions := []string{"ChatSDK " + b.version("package.json")}
	for _, module := range modules {
		versions = append(versions, module+" "+b.version("js/test/compare/node_modules/"+module+"/package.json"))
	}
	return fmt.Sprintf("%s, %s, %s: %s. %s, %d cores%s. Medians of %d alternating runs, with minimum and maximum; ratios are of medians.\n\n",
		time.Now().UTC().Format(time.DateOnly), strings.ReplaceAll(about.Product, "/", " "), goruntime.Version(), strings.Join(versions, ", "),
		goruntime.GOOS, goruntime.NumCPU(), memoryOfMachine(), b.runs)
}

func (b *bench) version(path string) string {
	text, err := os.ReadFile(suite.File(path))
	require.NoError(b.t, err)
	var about struct{ Version string }
	require.NoError(b.t, json.Unmarshal(text, &about))
	return about.Version
}

// memoryOfMachine is empty if the system doesn't report it as Linux does.
func memoryOfMachine() string {
	text, _ := os.ReadFile("/proc/meminfo")
	var kilobytes float64
	if _, err := fmt.Sscanf(string(text), "MemTotal: %f kB", &kilobytes); err != nil {
		return ""
	}
	return fmt.Sprintf(", %.0f GB of memory", kilobytes*1024/1e9)
}
