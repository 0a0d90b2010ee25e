//go:build unix

// Package compat_test tests that two versions work together: the current one and an old one,
// the commit before tools (buildtest.BeforeTools). It tests the old SDK with the current
// service, the current SDK with the old service, both SDKs at once on one chat, and databases
// of the old service. It builds both versions, so the clone's history must have the old commit,
// and uses real HTTP. Begin with sdk_test.go.
package compat_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"go.uber.org/goleak"

	"github.com/chatsdk/chatsdk/service/internal/buildtest"
)

// version has the paths of a built service and a built client program.
type version struct{ name, service, client string }

// beforeVersion is the version before the current one. Its client is not built.
var oldVersion, beforeVersion, newVersion version

// oldFolder is the folder of the project at the old commit.
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

// program is the folder of the client program, which is built with each SDK.
const program = "service/compat/client"

func build(folder string) (err error) {
	if oldFolder, err = buildtest.Old(buildtest.BeforeTools); err != nil {
		return err
	}
	beforeFolder, err := buildtest.Old(buildtest.VersionBefore)
	if err != nil {
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
	oldVersion = version{"old", filepath.Join(folder, "service-old"), filepath.Join(folder, "client-old")}
	beforeVersion = version{name: "before", service: filepath.Join(folder, "service-before")}
	newVersion = version{"new", filepath.Join(folder, "service-new"), filepath.Join(folder, "client-new")}
	root := filepath.Join("..", "..")
	for _, step := range [][3]string{
		{oldFolder, oldVersion.service, "./service"}, {oldFolder, oldVersion.client, "./" + program},
		{beforeFolder, beforeVersion.service, "./service"},
		{root, newVersion.service, "./service"}, {root, newVersion.client, "./" + program},
	} {
		if err := buildtest.Go(step[0], step[1], step[2]); err != nil {
			return err
		}
	}
	return nil
}
