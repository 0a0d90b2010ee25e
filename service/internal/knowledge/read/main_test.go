package read_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/chatsdk/chatsdk/service/internal/knowledge/read"
)

// children are what this program does in place of tests if its first argument names one.
var children = map[string]func(){
	read.Subcommand: func() {
		if err := read.Serve(os.Stdin, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	},
	"environment": func() {
		fmt.Printf(`{"document":{"title":"e","text":%q}}`+"\n", strings.Join(os.Environ(), " "))
	},
	// It replies with the time that it was given.
	"told": func() {
		from := bufio.NewReader(os.Stdin)
		line, _ := from.ReadBytes('\n')
		var order struct {
			Bytes int64
			Time  time.Duration
		}
		_ = json.Unmarshal(line, &order)
		_, _ = io.CopyN(io.Discard, from, order.Bytes)
		fmt.Printf(`{"document":{"title":"t","text":%q}}`+"\n", order.Time)
		_, _ = from.ReadByte()
	},
	// It reads two files, and crashes at the third.
	"counting": func() {
		from := bufio.NewReader(os.Stdin)
		for n := 1; n < 3; n++ {
			_, _ = from.ReadString('\n')
			_, _ = io.CopyN(io.Discard, from, 4)
			fmt.Printf(`{"document":{"title":"c","text":"file %d"}}`+"\n", n)
		}
		_, _ = from.ReadString('\n')
		os.Exit(2)
	},
	"hang":    func() { time.Sleep(time.Hour) },
	"crash":   func() { os.Exit(1) },
	"nothing": func() {},
	// As the system does if memory is short.
	"killed": func() {
		self, _ := os.FindProcess(os.Getpid())
		_ = self.Kill()
		time.Sleep(time.Hour)
	},
	"silent": func() { fmt.Println("no JSON") },
	"endless": func() {
		for {
			fmt.Print(strings.Repeat("x", 1<<20))
		}
	},
	// A grandchild holds the output, and a lock on the file that is the argument.
	"family": func() {
		file, err := os.OpenFile(os.Args[2], os.O_RDWR, 0)
		if err == nil {
			err = lock(file)
		}
		program, _ := os.Executable()
		grandchild := exec.Command(program, "hang")
		grandchild.Stdout, grandchild.ExtraFiles = os.Stdout, []*os.File{file}
		if err == nil {
			err = grandchild.Start()
		}
		if err != nil {
			os.Exit(1)
		}
		time.Sleep(time.Hour)
	},
}

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && children[os.Args[1]] != nil {
		children[os.Args[1]]()
		return
	}
	goleak.VerifyTestMain(m)
}
