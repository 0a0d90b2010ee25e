//go:build !clockstep

package clock

import "time"

// Now is the clock for every time that the service stores or compares.
func Now() time.Time { return time.Now() }
