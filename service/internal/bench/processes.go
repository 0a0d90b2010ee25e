package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// taking is what processes used so far, and the memory that they have.
type taking struct {
	processor time.Duration
	written   int64 // bytes to the disk, as the processes count
	disk      int64 // bytes to the disk, as the disk counts
	memory    int64 // bytes; shared memory is divided among the processes
}

func (t taking) since(before taking) taking {
	return taking{t.processor - before.processor, t.written - before.written, t.disk - before.disk, t.memory - before.memory}
}

// takenBy returns what processes and their descendants used, from /proc.
func takenBy(roots []int) (all taking, err error) {
	children, err := childrenOf()
	if err != nil {
		return taking{}, err
	}
	for queue := roots; len(queue) > 0; queue = queue[1:] {
		one, err := takenByOne(queue[0])
		if err != nil && !os.IsNotExist(err) && !errors.Is(err, syscall.ESRCH) { // it ended: its parent has its figures
			return taking{}, err
		}
		all.processor += one.processor
		all.written += one.written
		all.memory += one.memory
		queue = append(queue, children[queue[0]]...)
	}
	return all, nil
}

func childrenOf() (map[int][]int, error) {
	stats, err := filepath.Glob("/proc/[0-9]*/stat")
	children := map[int][]int{}
	for _, name := range stats {
		if fields := statOf(name); len(fields) > 1 {
			parent, _ := strconv.Atoi(fields[1])
			pid, _ := strconv.Atoi(strings.Split(name, "/")[2])
			children[parent] = append(children[parent], pid)
		}
	}
	return children, err
}

// statOf returns the fields of a stat after the name, which may hold any characters.
func statOf(name string) []string {
	text, _ := os.ReadFile(name)
	return strings.Fields(string(text[strings.LastIndexByte(string(text), ')')+1:]))
}

// tick is the unit of processor time in /proc: USER_HZ, 100 on every Linux.
const tick = 10 * time.Millisecond

func takenByOne(pid int) (one taking, err error) {
	folder := fmt.Sprintf("/proc/%d/", pid)
	if fields := statOf(folder + "stat"); len(fields) > 14 {
		for _, field := range fields[11:15] { // user and system, its own and of the children that it waited for
			ticks, _ := strconv.ParseInt(field, 10, 64)
			one.processor += time.Duration(ticks) * tick
		}
	}
	if one.written, err = numberIn(folder+"io", "write_bytes:"); err != nil {
		return one, err
	}
	memory, err := numberIn(folder+"smaps_rollup", "Pss:")
	one.memory = memory << 10
	return one, err
}

// numberIn reads the number after a name in a file of /proc.
func numberIn(file, name string) (int64, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(text)) {
		if rest, found := strings.CutPrefix(line, name); found {
			return strconv.ParseInt(strings.Fields(rest)[0], 10, 64)
		}
	}
	return 0, fmt.Errorf("%s has no line %s", file, name)
}

const sector = 512 // the kernel's unit in bytes, whatever the disk has

// writtenToDisk returns how many bytes the disk under the folder for temporary files has received
// so far, from all processes and with the file system's own data, and 0 if the system doesn't say.
// It makes the system write delayed data first. The figures of processes can be many times as
// large: most likely a whole large folio of the page cache counts when one of its pages changes.
func writtenToDisk() int64 {
	unix.Sync()
	var stat unix.Stat_t
	if unix.Stat(os.TempDir(), &stat) != nil {
		return 0
	}
	text, _ := os.ReadFile(fmt.Sprintf("/sys/dev/block/%d:%d/stat", unix.Major(stat.Dev), unix.Minor(stat.Dev)))
	fields := strings.Fields(string(text))
	if len(fields) < 7 {
		return 0
	}
	sectors, _ := strconv.ParseInt(fields[6], 10, 64) // Documentation/block/stat.rst of Linux
	return sectors * sector
}
