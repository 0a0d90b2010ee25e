package httpapi_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"sync"
)

// logbook holds what was logged.
type logbook struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *logbook) Write(line []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(line)
}

func (l *logbook) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// count returns how many lines have the message msg.
func (l *logbook) count(msg string) int {
	return len(l.lines(msg))
}

// line returns the only line with the message msg.
func (l *logbook) line(msg string) map[string]any {
	lines := l.lines(msg)
	if len(lines) != 1 {
		return nil
	}
	return lines[0]
}

func (l *logbook) lines(msg string) []map[string]any {
	var found []map[string]any
	for text := range strings.Lines(l.String()) {
		line := map[string]any{}
		if json.Unmarshal([]byte(text), &line) == nil && line["msg"] == msg {
			found = append(found, line)
		}
	}
	return found
}
