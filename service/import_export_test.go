package main

import (
	"context"
	"net/http"
	"strings"
)

// Import imports one file over a transport, and gives what it says.
func Import(ctx context.Context, transport http.RoundTripper, path, content string) (string, error) {
	var said strings.Builder
	i := &importer{base: "http://service", project: "demo", client: &http.Client{Transport: transport}, out: &said}
	_, err := i.run(ctx, []importFile{{path: path, content: []byte(content)}})
	return said.String(), err
}
