package config

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// minSecret is the smallest length of an API secret, in bytes.
const minSecret = 32

// Credentials returns the API key and the secrets, the first of which signs: those that are set,
// or those in the data folder, where the first start creates them.
func Credentials(s *Settings) (key string, secrets []string, err error) {
	key, secret := s.APIKey, s.APISecret
	if key == "" {
		if key, secret, err = keptCredentials(filepath.Join(s.Data, "credentials")); err != nil {
			return "", nil, err
		}
	}
	for _, one := range strings.Split(secret, ",") {
		if len(one) < minSecret {
			return "", nil, fmt.Errorf("API_SECRET has a secret of %d bytes, want %d or more", len(one), minSecret)
		}
		secrets = append(secrets, one)
	}
	if len(secrets) > 2 {
		return "", nil, fmt.Errorf("API_SECRET has %d secrets, want one, or two while it is being changed", len(secrets))
	}
	return key, secrets, nil
}

// keptCredentials reads the file, and creates it if there is none.
func keptCredentials(path string) (key, secret string, err error) {
	content, err := readSecret(path)
	if errors.Is(err, fs.ErrNotExist) {
		if err := makeCredentials(path); err != nil {
			return "", "", fmt.Errorf("credentials: %w", err)
		}
		content, err = readSecret(path)
	}
	if err != nil {
		return "", "", fmt.Errorf("credentials: %w", err)
	}
	for line := range strings.Lines(string(content)) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), "=")
		switch name {
		case "API_KEY":
			key = value
		case "API_SECRET":
			secret = value
		}
	}
	if key == "" || secret == "" {
		return "", "", fmt.Errorf("credentials: %s has no API_KEY= and API_SECRET= lines; restore it, or remove it to have new ones made", path)
	}
	return key, secret, nil
}

// makeCredentials writes new credentials, and creates their folder if there is none. The file
// gets its name when it is complete, and never replaces one that another process has made.
func makeCredentials(path string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	file, err := os.CreateTemp(filepath.Dir(path), ".credentials-*") // mode 0600
	if err != nil {
		return err
	}
	defer os.Remove(file.Name())
	_, err = fmt.Fprintf(file, "API_KEY=key_%s\nAPI_SECRET=%s%s\n", rand.Text(), rand.Text(), rand.Text())
	if err := errors.Join(err, file.Close()); err != nil {
		return err
	}
	if err := os.Link(file.Name(), path); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return nil
}
