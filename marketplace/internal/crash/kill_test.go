package crash

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"partnerkit.dev/mockpartner"
)

// killReplica ends a replica with SIGKILL, and testifies which of its connections to the
// partner that has ended, and when, so that the verdict holds neither the calls in the
// middle of which it died against it, nor the answers that it had not yet written down.
// The connections are known exactly because the process is stopped first. Where it has
// ended by itself the error wraps os.ErrProcessDone.
func (s *shop) killReplica(ctx context.Context, process *os.Process) error {
	since := time.Now().Add(-s.outage.unwritten())
	connections, err := s.stopped(ctx, process)
	at := time.Now() // on a busy machine it takes a while until every thread has stopped
	if errors.Is(err, os.ErrProcessDone) {
		return err
	}
	// Whatever came of that, the process must not be left standing.
	if err = errors.Join(err, process.Kill()); err != nil || len(connections) == 0 {
		return err
	}
	_, err = s.partner.Default().Journal().Testify(mockpartner.Testimony{Died: connections, At: at, Since: since})
	return err
}

// stopped stops a process, and returns its connections to the partner as that sees them.
func (s *shop) stopped(ctx context.Context, process *os.Process) (connections []string, err error) {
	address, err := url.Parse(s.partner.URL)
	if err != nil {
		return nil, err
	}
	if err := process.Signal(syscall.SIGSTOP); err != nil {
		return nil, err
	}
	proc := fmt.Sprintf("/proc/%d/", process.Pid)
	for running := true; running; running, err = anyRuns(proc) {
		if err := errors.Join(err, ctx.Err()); err != nil {
			return nil, err
		}
	}
	sockets, err := socketsOf(proc)
	if err != nil {
		return nil, err
	}
	for _, table := range []string{"net/tcp", "net/tcp6"} {
		text, err := os.ReadFile(proc + table)
		if errors.Is(err, fs.ErrNotExist) { // a machine without IPv6
			continue
		}
		if err != nil {
			return nil, err
		}
		connections = append(connections, connectionsIn(string(text), sockets, address.Port())...)
	}
	return connections, nil
}

// anyRuns reports whether a thread of a process still runs: the signal takes a moment to
// reach it.
func anyRuns(proc string) (bool, error) {
	threads, err := filepath.Glob(proc + "task/*/stat")
	for _, thread := range threads {
		text, err := os.ReadFile(thread)
		if err != nil { // the thread has ended
			continue
		}
		// The state comes after the name, which is in brackets and may hold anything.
		_, state, _ := bytes.Cut(text[max(bytes.LastIndexByte(text, ')'), 0):], []byte(" "))
		if !bytes.ContainsAny(state[:min(len(state), 1)], "TtZX") {
			return true, nil
		}
	}
	return false, err
}

// socketsOf lists the sockets that a process has open, by inode.
func socketsOf(proc string) (map[string]bool, error) {
	files, err := os.ReadDir(proc + "fd")
	if err != nil {
		return nil, err
	}
	sockets := map[string]bool{}
	for _, file := range files {
		target, err := os.Readlink(proc + "fd/" + file.Name())
		if err != nil {
			return nil, err
		}
		if inode, ok := strings.CutPrefix(target, "socket:["); ok {
			sockets[strings.TrimSuffix(inode, "]")] = true
		}
	}
	return sockets, nil
}

// connectionsIn finds the connections of sockets to a port in the kernel's table, as
// proc_pid_net(5) describes it, by their own end.
func connectionsIn(table string, sockets map[string]bool, port string) (list []string) {
	for line := range strings.Lines(table) {
		fields := strings.Fields(line)
		if len(fields) < 10 || !sockets[fields[9]] {
			continue
		}
		own, ownErr := kernelAddress(fields[1])
		peer, peerErr := kernelAddress(fields[2])
		if ownErr == nil && peerErr == nil && strconv.Itoa(int(peer.Port())) == port {
			list = append(list, own.String())
		}
	}
	return list
}

// kernelAddress reads an address of the kernel's table: words of 32 bits in the machine's
// order, and the port.
func kernelAddress(text string) (netip.AddrPort, error) {
	address, number, _ := strings.Cut(text, ":")
	words, err := hex.DecodeString(address)
	if err != nil || len(words)%4 != 0 {
		return netip.AddrPort{}, fmt.Errorf("want an address, got %q", text)
	}
	for word := words; len(word) > 0; word = word[4:] {
		binary.NativeEndian.PutUint32(word, binary.BigEndian.Uint32(word))
	}
	port, err := strconv.ParseUint(number, 16, 16)
	host, ok := netip.AddrFromSlice(words)
	if err != nil || !ok {
		return netip.AddrPort{}, fmt.Errorf("want an address and a port, got %q", text)
	}
	return netip.AddrPortFrom(host.Unmap(), uint16(port)), nil
}
