package app

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/chat"
	"github.com/chatsdk/chatsdk/service/internal/clock"
	"github.com/chatsdk/chatsdk/service/internal/config"
	"github.com/chatsdk/chatsdk/service/internal/fault"
	"github.com/chatsdk/chatsdk/service/internal/httpapi"
	"github.com/chatsdk/chatsdk/service/internal/knowledge"
	"github.com/chatsdk/chatsdk/service/internal/memory"
	"github.com/chatsdk/chatsdk/service/internal/replica"
	"github.com/chatsdk/chatsdk/service/internal/store/postgres"
	"github.com/chatsdk/chatsdk/service/internal/store/sqlite"
	"github.com/chatsdk/chatsdk/service/internal/stream"
	"github.com/chatsdk/chatsdk/service/internal/tool"
)

// store keeps everything.
type store interface {
	chat.Store
	memory.Store
	knowledge.Store
	tool.FirstReadings
	// Ping reports whether it can be used.
	Ping(ctx context.Context) error
	Close() error
}

// data is what this process works with: its own data folder, or a database that it shares with
// others.
type data struct {
	apiKey string
	// apiSecrets verify tokens, and the first one signs them.
	apiSecrets []string
	// HashKey is the key of the marks that recognise deleted memories.
	hashKey memory.HashKey
	store   store
	// shared is the store if other replicas may share it, else nil.
	shared *postgres.Store
	// clock is the shared database's, nil if nobody shares it.
	clock *clock.Database
	// own is the store if only this process has it, else nil.
	own    *sqlite.Store
	unlock func() error
}

// openData opens the database of DATABASE_URL if it is set, else the data folder.
func openData(ctx context.Context, s *config.Settings, log *slog.Logger) (*data, error) {
	d := &data{unlock: func() error { return nil }}
	var err error
	if s.DatabaseURL != "" {
		err = d.openShared(ctx, s, log)
	} else {
		err = d.openFolder(ctx, s, log)
	}
	if err != nil {
		return nil, errors.Join(err, d.close())
	}
	return d, nil
}

// secrets reads the credentials of requests and the key for marks of deleted memories.
func (d *data) secrets(s *config.Settings) (err error) {
	if d.apiKey, d.apiSecrets, err = config.Credentials(s); err == nil {
		d.hashKey, err = config.HashKey(s)
	}
	return err
}

// openFolder opens the data folder, and creates what is missing: the folder, its database and its
// secrets. It ends the answers that were running when the last run ended.
func (d *data) openFolder(ctx context.Context, s *config.Settings, log *slog.Logger) (err error) {
	unlock, err := lock(s.Data)
	if err != nil {
		return err
	}
	d.unlock = unlock
	if err := forgetAddress(s.Data); err != nil {
		return err
	}
	path := filepath.Join(s.Data, "chatsdk.db")
	lost := isLost(path)
	if err := d.secrets(s); err != nil {
		return err
	}
	own, err := sqlite.Open(ctx, path)
	if err != nil {
		return err
	}
	if lost {
		log.Warn("the data folder was served before, but had no database: a new one was made; "+
			"if it was lost, stop the service and restore a backup", "database", path)
	}
	own.Limits = s.Totals
	d.store, d.own = own, own
	broken, err := own.EndBrokenTurns(ctx, brokenOff(d.Now()))
	if len(broken) > 0 {
		log.Warn("ended answers that the last run left open", "count", len(broken))
	}
	return err
}

// isLost reports whether a folder was served before, but has no database.
func isLost(path string) bool {
	_, gone := os.Stat(path)
	_, never := os.Stat(addressLock(filepath.Dir(path)).Path())
	return errors.Is(gone, fs.ErrNotExist) && never == nil
}

// openShared opens the database that replicas share.
func (d *data) openShared(ctx context.Context, s *config.Settings, log *slog.Logger) (err error) {
	if err := d.secrets(s); err != nil {
		return err
	}
	shared, err := postgres.Open(ctx, postgres.Config{URL: s.DatabaseURL, Replica: s.ReplicaName(), Pooled: !s.DatabaseNotify, Limits: postgres.Limits{
		Chats: s.Totals.Chats, Documents: s.Totals.Documents, DocumentBytes: s.Totals.DocumentBytes,
		SendsPerMinute: s.ChatLimits.SendsPerMinute, StreamsPerUser: s.ChatLimits.StreamsPerUser,
	}})
	if err != nil {
		return fmt.Errorf("DATABASE_URL: %w", err)
	}
	d.store, d.shared = shared, shared
	d.clock, err = clock.NewDatabase(ctx, clock.Now, shared.Clock, log)
	return err
}

// Now is the clock for every time that is stored or compared with one that is: the database's, if
// replicas share it.
func (d *data) Now() time.Time {
	if d.clock != nil {
		return d.clock.Now()
	}
	return clock.Now()
}

// newStreams returns the streams. If other replicas may share the database, it also returns what
// coordinates this process with them, which the caller runs.
func (d *data) newStreams(s *config.Settings, log *slog.Logger) (*stream.Logs, *replica.Replica) {
	logs := stream.New(d.store)
	if d.shared == nil {
		return logs, nil
	}
	member := replica.New(replica.Config{
		Name: d.shared.Replica(), Store: d.shared, Logs: logs, PollOnly: !s.DatabaseNotify, Log: log,
		EndBroken: func(ctx context.Context, orphans []string) ([]string, error) {
			return d.shared.EndBrokenTurns(ctx, brokenOff(d.Now()), orphans...)
		},
	})
	return logs, member
}

// handJobsOver waits for the signal to end, stops everything that takes jobs, and gives the jobs
// of this replica to the others. It does so at once, because answers may run on for a while.
func (d *data) handJobsOver(signal, end context.Context, log *slog.Logger, stop ...func()) {
	select {
	case <-end.Done():
		return
	case <-signal.Done():
	}
	for _, one := range stop {
		one()
	}
	if err := d.shared.ReleaseJobs(end); err != nil && end.Err() == nil {
		log.Warn("jobs could not be handed over; other replicas take them when the lease has expired", "error", err)
	}
}

// brokenOff returns the end of an answer that was being written when its service ended.
func brokenOff(now time.Time) chat.End {
	return chat.Broken(float64(now.UnixMicro())/1e6, errBrokenOff)
}

var errBrokenOff = &fault.Error{
	Code: wire.CodeUnavailable, Message: "A restart of the service interrupted the answer; send the message again or regenerate the answer",
}

// alone runs do. If other replicas share the database, none of them runs anything with the same
// name meanwhile.
func (d *data) alone(ctx context.Context, name string, do func(context.Context) error) error {
	if d.shared == nil {
		return do(ctx)
	}
	return d.shared.Alone(ctx, name, do)
}

// eraseTime is how long the end of the process waits for the removal of what was deleted. What is left
// then, the next start removes.
const eraseTime = 4 * time.Second

// close removes what was deleted from the files, closes the store and releases the folder.
func (d *data) close() error {
	var err error
	if d.own != nil {
		ctx, cancel := context.WithTimeout(context.Background(), eraseTime)
		defer cancel()
		_ = d.own.Erase(ctx) // the next start does it
	}
	if d.store != nil {
		err = d.store.Close()
	}
	return errors.Join(err, d.unlock())
}

// erased has a value when something waits for its removal.
func (d *data) erased() <-chan struct{} {
	if d.own == nil {
		return d.shared.Erased()
	}
	return d.own.Erased()
}

// removals is what answers to deletions wait for.
func (d *data) removals() httpapi.Removals {
	if d.own == nil {
		return nil
	}
	return d.own
}

// errServed says that another process uses the data folder.
var errServed = errors.New("is served by another process")

// lock creates the data folder and locks it, because two processes with one database would each
// end the other's running answers.
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

// drain is how long replicas of another version may still run after this one has started.
func (d *data) drain(s *config.Settings) time.Duration {
	if d.shared == nil {
		return 0
	}
	return s.Grace()
}
