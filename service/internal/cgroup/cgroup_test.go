package cgroup_test

import (
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/service/internal/cgroup"
)

func TestMemory(t *testing.T) {
	t.Parallel()
	const one, two = "sys/fs/cgroup/", "sys/fs/cgroup/memory/"
	const half = "536870912\n"
	for _, row := range []struct {
		name  string
		files map[string]string
		want  int64
	}{
		{"not Linux", nil, 0},
		{"version 2 in a container", map[string]string{"proc/self/cgroup": "0::/\n", one + "memory.max": half}, 512 << 20},
		{"version 2 without a limit", map[string]string{"proc/self/cgroup": "0::/\n", one + "memory.max": "max\n"}, 0},
		{"version 2 in a unit", map[string]string{"proc/self/cgroup": "0::/system.slice/chatsdk.service\n",
			one + "system.slice/chatsdk.service/memory.max": half, one + "system.slice/memory.max": "max\n"}, 512 << 20},
		{"version 2, a smaller limit above", map[string]string{"proc/self/cgroup": "0::/system.slice/chatsdk.service\n",
			one + "system.slice/chatsdk.service/memory.max": half, one + "system.slice/memory.max": "268435456\n"}, 256 << 20},
		{"version 2, the machine's path in a container", map[string]string{"proc/self/cgroup": "0::/docker/abc\n", one + "memory.max": half}, 512 << 20},
		{"version 1 in a container", map[string]string{"proc/self/cgroup": "5:cpu,cpuacct:/docker/abc\n4:memory:/docker/abc\n",
			two + "memory.limit_in_bytes": half}, 512 << 20},
		{"version 1 in a group", map[string]string{"proc/self/cgroup": "4:memory:/a/b\n0::/\n",
			two + "a/b/memory.limit_in_bytes": half, two + "memory.limit_in_bytes": "9223372036854771712\n"}, 512 << 20},
		{"version 1 without a limit", map[string]string{"proc/self/cgroup": "4:memory:/\n0::/\n", two + "memory.limit_in_bytes": "9223372036854771712\n"}, 0},
		{"version 1 with several controllers", map[string]string{"proc/self/cgroup": "4:cpu,memory:/\n", two + "memory.limit_in_bytes": half}, 512 << 20},
		{"another controller", map[string]string{"proc/self/cgroup": "4:cpu:/\n", two + "memory.limit_in_bytes": half}, 0},
		{"what nobody can read", map[string]string{"proc/self/cgroup": "0::/\nx\n", one + "memory.max": "many\n"}, 0},
		{"a path that leads out", map[string]string{"proc/self/cgroup": "0::/../../x\n", one + "memory.max": half}, 512 << 20},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			root := fstest.MapFS{}
			for name, text := range row.files {
				root[name] = &fstest.MapFile{Data: []byte(text)}
			}
			require.Equal(t, row.want, cgroup.Memory(root))
		})
	}
}
