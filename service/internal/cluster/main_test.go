//go:build unix

package cluster_test

import (
	"testing"

	"github.com/chatsdk/chatsdk/service/internal/buildtest"
)

// binary is the built service.
var binary string

func TestMain(m *testing.M) { buildtest.Main(m, &binary) }
