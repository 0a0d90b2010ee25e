package buildtest

import (
	"archive/tar"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// BeforeTools is the last commit that knows neither branches nor tools. Programs built from it
// still work with current ones.
const BeforeTools = "fffa03fec60262fdd31a89267bf7527939d838f3"

// VersionBefore is the commit of the version before the current one, whose replicas run beside
// current ones until they are replaced.
const VersionBefore = "9e4e9836ecf7df3867a184a1448545494b2b98bb"

// Old returns the folder of the project as it was at a commit. It is made once, below .build,
// from the history, which a shallow clone lacks.
func Old(commit string) (string, error) {
	root, err := git(".", "rev-parse", "--show-toplevel")
	if err != nil {
		return "", fmt.Errorf("the tests of older versions need the project as a git clone with its history: %w", err)
	}
	folder := filepath.Join(strings.TrimSpace(root), ".build", "old", commit[:7])
	if _, err := os.Stat(folder); err == nil {
		return folder, nil
	}
	if err := NeedHistory(commit); err != nil {
		return "", err
	}
	archive, err := git(".", "-C", strings.TrimSpace(root), "archive", commit)
	if err != nil {
		return "", err
	}
	if err := os.MkdirAll(filepath.Dir(folder), 0o755); err != nil {
		return "", err
	}
	// Several tests may do this at once: each makes its own folder, and one gets the name.
	made, err := os.MkdirTemp(filepath.Dir(folder), commit[:7]+"-*")
	if err != nil {
		return "", err
	}
	defer func() { _ = os.RemoveAll(made) }() // by then it was renamed, or is not needed
	if err := unpack(archive, made); err != nil {
		return "", fmt.Errorf("unpack commit %s: %w", commit, err)
	}
	if err := os.Rename(made, folder); err != nil {
		if _, other := os.Stat(folder); other != nil {
			return "", err
		}
	}
	return folder, nil
}

// NeedHistory returns an error if the clone lacks a commit.
func NeedHistory(commit string) error {
	if _, err := git(".", "cat-file", "-e", commit+"^{commit}"); err != nil {
		return fmt.Errorf("this clone lacks commit %s, which the tests of older versions need: run git fetch --unshallow, "+
			"or clone without --depth (in CI: fetch-depth 0): %w", commit[:7], err)
	}
	return nil
}

func git(folder string, arguments ...string) (string, error) {
	command := exec.Command("git", arguments...)
	command.Dir = folder
	var said, failed bytes.Buffer
	command.Stdout, command.Stderr = &said, &failed
	if err := command.Run(); err != nil {
		return "", fmt.Errorf("git %s: %w %s", strings.Join(arguments, " "), err, strings.TrimSpace(failed.String()))
	}
	return said.String(), nil
}

func unpack(archive, folder string) error {
	for files := tar.NewReader(strings.NewReader(archive)); ; {
		header, err := files.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		path := filepath.Join(folder, filepath.FromSlash(header.Name))
		switch header.Typeflag {
		case tar.TypeDir:
			err = os.MkdirAll(path, 0o755)
		case tar.TypeReg:
			err = write(path, files, header.FileInfo().Mode())
		}
		if err != nil {
			return err
		}
	}
}

func write(path string, content io.Reader, mode os.FileMode) error {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_EXCL, mode.Perm())
	if err != nil {
		return err
	}
	_, err = io.Copy(file, content)
	return errors.Join(err, file.Close())
}

// Go builds a package of the project in a folder.
func Go(folder, output, pkg string) error {
	command := exec.Command("go", "build", "-buildvcs=false", "-o", output, pkg)
	command.Dir = folder
	if said, err := command.CombinedOutput(); err != nil {
		return fmt.Errorf("go build %s in %s: %w\n%s", pkg, folder, err, said)
	}
	return nil
}
