package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/chat"
	"github.com/chatsdk/chatsdk/service/internal/fault"
	"github.com/chatsdk/chatsdk/service/internal/memory"
	"github.com/chatsdk/chatsdk/service/internal/sqlite"
)

// data is the data folder, held by this process alone.
type data struct {
	apiKey string
	// apiSecrets verify, and the first one signs.
	apiSecrets []string
	// hashKey recognises deleted memories.
	hashKey memory.HashKey
	store   *sqlite.Store
	unlock  func() error
}

// openData makes the folder and what belongs into it where there is none, and
// ends the answers that the last run broke off.
func openData(ctx context.Context, s *settings, log *slog.Logger) (*data, error) {
	unlock, err := lock(s.data)
	if err != nil {
		return nil, err
	}
	d := &data{unlock: unlock}
	if err := forgetAddress(s.data); err != nil {
		return nil, errors.Join(err, d.close())
	}
	if err := d.open(ctx, s, log); err != nil {
		return nil, errors.Join(err, d.close())
	}
	return d, nil
}

func (d *data) open(ctx context.Context, s *settings, log *slog.Logger) (err error) {
	if d.apiKey, d.apiSecrets, err = credentials(s); err != nil {
		return err
	}
	if d.hashKey, err = hashKey(s.data); err != nil {
		return err
	}
	if d.store, err = sqlite.Open(ctx, filepath.Join(s.data, "chatsdk.db")); err != nil {
		return err
	}
	d.store.Limits = s.totals
	end := chat.Broken(float64(time.Now().UnixMicro())/1e6, errBrokenOff)
	broken, err := d.store.EndBrokenTurns(ctx, end)
	if len(broken) > 0 {
		log.Warn("answers that the last run broke off", "count", len(broken))
	}
	return err
}

// errBrokenOff is how an answer ends in whose middle the service ended.
var errBrokenOff = &fault.Error{Code: wire.CodeUnavailable, Message: "A restart of the service broke the answer off; send the message again or regenerate it"}

// close closes the store and lets go of the folder.
func (d *data) close() error {
	var err error
	if d.store != nil {
		err = d.store.Close()
	}
	return errors.Join(err, d.unlock())
}

// errServed is a data folder that another process has.
var errServed = errors.New("is served by another process")

// lock makes the data folder and takes hold of it, since two processes on one
// database would each take the other's running answers for broken ones.
func lock(folder string) (unlock func() error, err error) {
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return nil, fmt.Errorf("DATA: %w; choose another folder with DATA or -data", err)
	}
	file := flock.New(filepath.Join(folder, "lock"), flock.SetPermissions(0o600))
	locked, err := file.TryLock()
	if err != nil {
		return nil, fmt.Errorf("DATA: %s cannot be written: %w; choose another folder with DATA or -data", folder, err)
	}
	if !locked {
		return nil, fmt.Errorf("DATA: %s %w; end that one, or choose another folder with DATA or -data", folder, errServed)
	}
	return file.Unlock, nil
}
