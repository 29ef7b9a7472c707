//go:build unix

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"partnerkit.dev/internal/bombtest"
)

// mostMemory is the most memory that learning may take, in KiB.
const mostMemory = 384 << 10

func TestLearningFromARecordingThatExpandsStaysWithinItsMemory(t *testing.T) {
	t.Parallel()
	for _, recording := range bombtest.Recordings(t) {
		t.Run(recording.Name, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "recording")
			if err := os.WriteFile(file, recording.Text, 0o600); err != nil {
				t.Fatal(err)
			}
			learning := exec.CommandContext(t.Context(), binary, "learn", "--har", file, "--out", "-")
			learning.Env = append(os.Environ(), "GOGC=100")
			said, _ := learning.CombinedOutput() // its exit code says it
			if code := learning.ProcessState.ExitCode(); code != 1 || strings.Contains(string(said), "panic") {
				t.Errorf("Expected a refusal, received exit %d and %.500s", code, said)
			}
			if usage, is := learning.ProcessState.SysUsage().(*syscall.Rusage); is && usage.Maxrss > mostMemory {
				t.Errorf("Expected at most %d MiB of memory, received %d", mostMemory>>10, usage.Maxrss>>10)
			}
		})
	}
}
