package pgembed

import (
	"fmt"
	"os"
	"syscall"
)

// livesIn reports whether a process is alive and works in that folder, as a
// PostgreSQL server does in its data. A number alone proves nothing: it may be
// somebody else's by now, or a zombie's, which has no folder any more.
func livesIn(pid int, folder string) bool {
	works, err := os.Readlink(fmt.Sprintf("/proc/%d/cwd", pid))
	if err != nil {
		return false
	}
	there, err := os.Stat(works)
	if err != nil {
		return false
	}
	wanted, err := os.Stat(folder)
	return err == nil && os.SameFile(there, wanted)
}

// endWithUs has a child end with the thread that starts it.
func endWithUs(child *syscall.SysProcAttr) { child.Pdeathsig = syscall.SIGINT }
