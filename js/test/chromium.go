package test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"time"

	"github.com/chromedp/chromedp"
)

// patience is a failsafe for what should take moments: nothing waits for it
// unless something hangs.
const patience = 60 * time.Second

// browser is a headless Chromium with a profile of its own.
type browser struct {
	ctx    context.Context
	cancel []context.CancelFunc
}

// startBrowser starts the program that CHROMIUM names, else the one installed;
// js/test/chromium.sh finds or installs it. Its profile lies in folder.
func startBrowser(folder string) (*browser, error) {
	path, err := findChromium()
	if err != nil {
		return nil, err
	}
	profile, err := os.MkdirTemp(folder, "profile-")
	if err != nil {
		return nil, err
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(path),
		chromedp.UserDataDir(profile),
		chromedp.DisableGPU,
		chromedp.Flag("disable-quic", true),
		chromedp.Flag("disable-component-update", true),
	)
	if os.Geteuid() == 0 {
		options = append(options, chromedp.NoSandbox)
	}
	allocator, cancelAllocator := chromedp.NewExecAllocator(context.Background(), options...)
	ctx, cancel := chromedp.NewContext(allocator)
	b := &browser{ctx: ctx, cancel: []context.CancelFunc{cancel, cancelAllocator}}
	if err := chromedp.Do(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("%s does not start: %w", path, err), b.close())
	}
	return b, nil
}

func findChromium() (string, error) {
	if path := os.Getenv("CHROMIUM"); path != "" {
		return path, nil
	}
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome-stable", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	return "", errors.New("no Chromium found: run make test-browser, which sets it up, or name one with CHROMIUM")
}

// close ends the browser and waits for it.
func (b *browser) close() error {
	ctx, stop := context.WithTimeout(b.ctx, patience)
	defer stop()
	err := chromedp.Cancel(ctx)
	for _, cancel := range b.cancel {
		cancel()
	}
	return err
}
