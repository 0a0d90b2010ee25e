//go:build unix

// Package compat_test tests versions with each other: the SDK of the commit before tools with
// the current service, the current SDK with the service of that commit, both at once on one
// chat, and databases that the old service left. Everything is built from that commit
// (buildtest.BeforeTools), which the clone's history must have, and speaks real HTTP. Begin
// with sdk_test.go.
package compat_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"go.uber.org/goleak"

	"github.com/chatsdk/chatsdk/service/internal/buildtest"
)

// version is the service and the Go SDK's client program, built.
type version struct{ name, service, client string }

var before, now version

// oldFolder is the project at the old commit.
var oldFolder string

func TestMain(m *testing.M) {
	folder, err := os.MkdirTemp("", "chatsdk-compat-*")
	if err == nil {
		err = build(folder)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		_ = os.RemoveAll(folder)
		os.Exit(1)
	}
	goleak.VerifyTestMain(m, goleak.Cleanup(func(code int) {
		_ = os.RemoveAll(folder)
		os.Exit(code)
	}))
}

// program is the folder of package client, which is built with each SDK.
const program = "service/compat/client"

func build(folder string) (err error) {
	if oldFolder, err = buildtest.Old(buildtest.BeforeTools); err != nil {
		return err
	}
	source, err := os.ReadFile("client/main.go")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Join(oldFolder, program), 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(oldFolder, program, "main.go"), source, 0o600); err != nil {
		return err
	}
	before = version{"before", filepath.Join(folder, "service-before"), filepath.Join(folder, "client-before")}
	now = version{"now", filepath.Join(folder, "service-now"), filepath.Join(folder, "client-now")}
	root := filepath.Join("..", "..")
	for _, step := range [][3]string{
		{oldFolder, before.service, "./service"}, {oldFolder, before.client, "./" + program},
		{root, now.service, "./service"}, {root, now.client, "./" + program},
	} {
		if err := buildtest.Go(step[0], step[1], step[2]); err != nil {
			return err
		}
	}
	return nil
}
