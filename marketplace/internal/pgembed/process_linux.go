package pgembed

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
)

// worksIn reports whether a live process works in that folder, as a PostgreSQL server does in its
// data. A process id alone proves nothing: another process may have it now, or it may be a zombie,
// which has no folder.
func worksIn(pid int, folder string) bool {
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

// hasProcess reports whether any process has that folder as its working directory.
func hasProcess(folder string) bool {
	running, _ := filepath.Glob("/proc/[0-9]*") // the pattern is valid
	for _, process := range running {
		if pid, err := strconv.Atoi(filepath.Base(process)); err == nil && worksIn(pid, folder) {
			return true
		}
	}
	return false
}

// endWithParent makes a child end with the thread that starts it.
func endWithParent(child *syscall.SysProcAttr) { child.Pdeathsig = syscall.SIGINT }
