//go:build !unix

package pgtest

import (
	"errors"
	"syscall"
)

func account(string) (*syscall.SysProcAttr, error) {
	return nil, errors.New("the tests start PostgreSQL only on Unix")
}
