//go:build unix

package main

import (
	"bytes"
	"os"
	"os/exec"
	"strings"
	"testing"

	"partnerkit.dev/internal/bombtest"
)

// mostMemory is the most memory that learning may take, in bytes.
const mostMemory = 384 << 20

func TestLearningFromARecordingThatExpandsStaysWithinItsMemory(t *testing.T) {
	t.Parallel()
	bombtest.EachFile(t, func(t *testing.T, file string) {
		learning := exec.CommandContext(t.Context(), binary(), "learn", "--har", file, "--out", "-")
		learning.Env = append(os.Environ(), "GOGC=100")
		var said bytes.Buffer
		learning.Stdout, learning.Stderr = &said, &said
		wait, err := bombtest.Watch(learning)
		if err != nil {
			t.Fatal(err)
		}
		memory, _ := wait() // its exit code says the rest
		if code := learning.ProcessState.ExitCode(); code != 1 || strings.Contains(said.String(), "panic") {
			t.Errorf("Expected a refusal, received exit %d and %.500s", code, said.String())
		}
		if memory > mostMemory {
			t.Errorf("Expected at most %d MiB of memory, received %d", mostMemory>>20, memory>>20)
		}
	})
}
