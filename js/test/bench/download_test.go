package bench_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/stretchr/testify/require"
)

// downloads are the clients that a page may download, each as the import that a
// bundler gets.
var downloads = []struct{ name, imports string }{
	{"openai", `export { default } from "openai"`},
	{"@anthropic-ai/sdk", `export { default } from "@anthropic-ai/sdk"`},
	{"AI SDK, `Chat`", `export { AbstractChat, DefaultChatTransport } from "ai"`},
	{"eventsource-parser", `export { createParser } from "eventsource-parser"`},
}

// download measures what a page fetches for each client, minified.
func (b *bench) download() {
	ours := b.weigh(suite.File("dist/chatsdk.mjs"), suite.File("dist/chatsdk.wasm"))
	rows := [][]string{ours.row("ChatSDK, with its WebAssembly", ours)}
	for _, client := range downloads {
		weight := b.weigh(b.bundled(client.imports))
		rows = append(rows, weight.row(client.name, ours))
	}
	b.table("What a page downloads", []string{"client", "uncompressed, KB", "gzip, KB", "brotli, KB", "ChatSDK is this many times as large"}, rows)
}

// bundled makes one file of a client's import, as for a page.
func (b *bench) bundled(imports string) string {
	file := filepath.Join(b.t.TempDir(), "client.mjs")
	command := exec.Command("go", "tool", "esbuild", "--bundle", "--minify", "--platform=browser", "--format=esm", "--target=es2022",
		"--legal-comments=none", "--log-level=warning", "--outfile="+file)
	command.Dir, command.Stdin = suite.File("js/test/compare"), strings.NewReader(imports)
	output, err := command.CombinedOutput()
	require.NoError(b.t, err, "%s", output)
	return file
}

// weight is the size of files, in bytes.
type weight struct{ Raw, Gzip, Brotli int }

// weigh adds up files, each compressed as well as the formats can.
func (b *bench) weigh(files ...string) weight {
	const script = `
		import { readFileSync } from "node:fs";
		import { brotliCompressSync, gzipSync } from "node:zlib";
		const sum = { raw: 0, gzip: 0, brotli: 0 };
		for (const file of process.argv.slice(1)) {
			const bytes = readFileSync(file);
			sum.raw += bytes.length;
			sum.gzip += gzipSync(bytes, { level: 9 }).length;
			sum.brotli += brotliCompressSync(bytes).length; // quality 11, as by default
		}
		console.log(JSON.stringify(sum));`
	var sum weight
	command := exec.Command("node", append([]string{"--input-type=module", "--eval", script}, files...)...)
	command.Stderr = os.Stderr
	output, err := command.Output()
	require.NoError(b.t, err)
	require.NoError(b.t, json.NewDecoder(bytes.NewReader(output)).Decode(&sum))
	return sum
}

func (w weight) row(client string, ours weight) []string {
	kilobytes := func(n int) string { return fmt.Sprintf("%.1f", float64(n)/1000) }
	return []string{client, kilobytes(w.Raw), kilobytes(w.Gzip), kilobytes(w.Brotli), fmt.Sprintf("%.1f", float64(ours.Brotli)/float64(w.Brotli))}
}
