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

// maxStack is how many bytes recursion may take in the child.
const maxStack = 64 << 20

// Serve is the child of a Reader: it reads orders and files, and writes a reply for each, until
// its input ends. It limits the whole process, which must end afterwards.
func Serve(stdin io.Reader, stdout io.Writer) error {
	from := bufio.NewReader(stdin)
	debug.SetMaxStack(maxStack)
	for n := 0; ; n++ {
		first, err := from.ReadBytes('\n')
		if err == io.EOF && n > 0 && len(first) == 0 {
			return nil
		}
		if err != nil {
			return fmt.Errorf("standard input: %w; want a line of JSON and a file", err)
		}
		var o order
		if err := json.Unmarshal(first, &o); err != nil || o.Memory <= 0 || o.Time <= 0 || o.Bytes < 0 {
			return errors.New(`want an order, a line such as {"name": "...", "bytes": N, "time": NANOSECONDS, "memory": BYTES} and a file`)
		}
		if n == 0 {
			err = limit(o)
		}
		if err == nil {
			err = follow(o, from, stdout)
		}
		if err != nil {
			return err
		}
	}
}

// follow reads one file. If reading takes too long, the process that ordered it may be gone.
func follow(o order, from io.Reader, stdout io.Writer) error {
	late := time.AfterFunc(o.Time+time.Second, func() { os.Exit(1) })
	defer late.Stop()
	data := make([]byte, o.Bytes)
	if _, err := io.ReadFull(from, data); err != nil {
		return fmt.Errorf("standard input: the file: %w", err)
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
