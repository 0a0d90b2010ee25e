package read

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"time"
)

// maxStack is what recursion may take in the child, in bytes.
const maxStack = 64 << 20

// Serve is the child of a Reader: it reads an order and a file, and writes what
// it read of it. It limits the whole process, which is to end afterwards.
func Serve(stdin io.Reader, stdout io.Writer) error {
	from := bufio.NewReader(stdin)
	first, err := from.ReadBytes('\n')
	if err != nil {
		return fmt.Errorf("standard input: %w; want a line of JSON and a file", err)
	}
	var o order
	if err := json.Unmarshal(first, &o); err != nil || o.Memory <= 0 || o.Time <= 0 {
		return errors.New(`no order, want {"name": "...", "time": NANOSECONDS, "memory": BYTES} and a file`)
	}
	// Whoever gave the order may be gone by then.
	time.AfterFunc(o.Time+time.Second, func() { os.Exit(1) })
	debug.SetMaxStack(maxStack)
	if err := limit(o); err != nil {
		return err
	}
	data, err := io.ReadAll(from)
	if err != nil {
		return fmt.Errorf("standard input: %w", err)
	}
	return json.NewEncoder(stdout).Encode(answer(o.Name, data))
}

func answer(name string, data []byte) reply {
	d, err := Bytes(name, data)
	if err == nil {
		return reply{Document: &d}
	}
	var refusal Refusal
	if !errors.As(err, &refusal) {
		refusal = Broken
	}
	return reply{Refusal: refusal}
}
