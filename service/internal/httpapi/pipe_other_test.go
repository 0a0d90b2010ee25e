//go:build !unix

package httpapi_test

import "testing"

// makePipe makes no pipe: Windows has no pipes among its files.
func makePipe(*testing.T, string) {}
