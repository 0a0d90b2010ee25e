package main

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/chatsdk/chatsdk/service/internal/chat"
	"github.com/chatsdk/chatsdk/service/internal/httpapi"
	"github.com/chatsdk/chatsdk/service/internal/memory"
)

// newMemory is what the agents remember, kept in the data folder.
func newMemory(s *settings, agents agentList, models *models, data *data, set *prometheus.Registry, log *slog.Logger) *memory.Service {
	fellBack := httpapi.CountDetectionFallbacks(set)
	return memory.New(memory.Config{
		Store: data.store, Detector: models.detector, Workers: models.detections, HashKey: data.hashKey,
		Agents: ids(agents.all), Defaults: agents.memory, PendingLifetime: s.pendingLifetime, Log: log,
		MemoriesPerUser: s.memoriesPerUser,
		Fallback:        models.fallback, Dropped: httpapi.CountDropped(set), Failed: httpapi.CountDetectionFailures(set),
		FellBack: func() { fellBack("rules") },
	})
}

func ids(agents []chat.Agent) []string {
	list := []string{}
	for _, agent := range agents {
		list = append(list, agent.ID)
	}
	return list
}

// hashKey reads the key of the hashes of deleted memories, and makes it where
// there is none. It is no part of the database, so that who gets a copy of
// that learns nothing of what was deleted.
func hashKey(folder string) (memory.HashKey, error) {
	path := filepath.Join(folder, "memory-key")
	content, err := readSecret(path)
	if errors.Is(err, fs.ErrNotExist) {
		content, err = makeHashKey(path)
	}
	if err != nil {
		return nil, fmt.Errorf("memory key: %w", err)
	}
	key := strings.TrimSpace(string(content))
	if len(key) < minSecret {
		return nil, fmt.Errorf("memory key: %s holds %d bytes, want %d or more; restore it, or remove it to have a new one made, "+
			"which forgets what was deleted", path, len(key), minSecret)
	}
	return memory.HashKey(key), nil
}

// makeHashKey writes a new key. The file gets its name when it is whole.
func makeHashKey(path string) ([]byte, error) {
	file, err := os.CreateTemp(filepath.Dir(path), ".memory-key-*") // mode 0600
	if err != nil {
		return nil, err
	}
	defer os.Remove(file.Name())
	content := []byte(rand.Text() + rand.Text() + "\n")
	_, err = file.Write(content)
	if err := errors.Join(err, file.Close()); err != nil {
		return nil, err
	}
	return content, os.Rename(file.Name(), path)
}
