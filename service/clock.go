//go:build !clockstep

package main

import "time"

// now is the clock by which everything is dated.
func now() time.Time { return time.Now() }
