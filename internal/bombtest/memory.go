package bombtest

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"
)

// Watch starts a command and returns a function that waits for its end, and returns the most memory that it had, in bytes.
// What the system says after the end would count the test's own memory, from which the command was forked.
func Watch(command *exec.Cmd) (wait func() (most int64, err error), err error) {
	if err := command.Start(); err != nil {
		return nil, err
	}
	ended, watched := make(chan struct{}), make(chan int64, 1)
	go func() { watched <- mostMemory(command.Process.Pid, ended) }()
	return func() (int64, error) {
		err := command.Wait()
		close(ended)
		return <-watched, err
	}, nil
}

// mostMemory returns the most memory that a process has had until it ends; 0 where the system does not tell.
func mostMemory(pid int, ended <-chan struct{}) (most int64) {
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for {
		if text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid)); err == nil {
			if _, after, found := strings.Cut(string(text), "VmHWM:"); found {
				var kilobytes int64
				if _, err := fmt.Sscan(after, &kilobytes); err == nil {
					most = max(most, kilobytes<<10)
				}
			}
		}
		select {
		case <-ended:
			return most
		case <-tick.C:
		}
	}
}
