//go:build !clockstep

package main

import "time"

// now is the clock for every time that the service stores or compares.
func now() time.Time { return time.Now() }
