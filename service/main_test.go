package main_test

import (
	"testing"

	"github.com/chatsdk/chatsdk/service/internal/buildtest"
)

// binary is the built command.
var binary string

func TestMain(m *testing.M) { buildtest.Main(m, &binary) }
