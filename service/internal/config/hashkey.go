package config

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/chatsdk/chatsdk/service/internal/memory"
)

// HashKey is the key for marks of deleted memories: MEMORY_KEY, or the one in the data folder,
// where the first start creates it. It is not in the database: a copy of the database alone
// reveals nothing about deleted memories.
func HashKey(s *Settings) (memory.HashKey, error) {
	if s.memoryKey != "" {
		if len(s.memoryKey) < minSecret {
			return nil, fmt.Errorf("MEMORY_KEY has %d bytes, want %d or more", len(s.memoryKey), minSecret)
		}
		return memory.HashKey(s.memoryKey), nil
	}
	path := filepath.Join(s.Data, "memory-key")
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

// makeHashKey writes a new key. The file gets its name when it is complete.
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
