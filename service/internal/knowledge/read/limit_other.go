//go:build !linux

package read

import (
	"os"
	"runtime"
	"time"
)

// limit watches the memory of this process, and ends it above the ordered limit.
func limit(o order) error {
	go func() {
		for range time.Tick(20 * time.Millisecond) {
			var now runtime.MemStats
			runtime.ReadMemStats(&now)
			if now.Sys > uint64(o.Memory) {
				os.Exit(2) // as the runtime does
			}
		}
	}()
	return nil
}
