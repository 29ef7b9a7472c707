package client

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"net/netip"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// stopped stops a process, and returns its connections to a port as the other side
// sees them.
func stopped(ctx context.Context, process *os.Process, port uint16) ([]string, error) {
	if err := process.Signal(syscall.SIGSTOP); err != nil {
		return nil, err
	}
	proc := fmt.Sprintf("/proc/%d/", process.Pid)
	for standing := false; !standing; {
		var err error
		if standing, err = allStand(proc); err != nil {
			return nil, err
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
	}
	sockets, err := socketsOf(proc)
	if err != nil {
		return nil, err
	}
	var connections []string
	for _, table := range []string{"net/tcp", "net/tcp6"} {
		text, err := os.ReadFile(proc + table)
		if errors.Is(err, fs.ErrNotExist) { // a machine without IPv6
			continue
		}
		if err != nil {
			return nil, err
		}
		connections = append(connections, connectionsIn(text, sockets, port)...)
	}
	return connections, nil
}

// allStand reports whether every thread of a process has stopped: a signal takes a
// moment to reach those that run.
func allStand(proc string) (bool, error) {
	threads, err := filepath.Glob(proc + "task/*/stat")
	if err != nil {
		return false, err
	}
	for _, thread := range threads {
		text, err := os.ReadFile(thread)
		if err != nil { // the thread has ended
			continue
		}
		// The state comes after the name, which is in brackets and may hold anything.
		_, state, _ := bytes.Cut(text[max(bytes.LastIndexByte(text, ')'), 0):], []byte(" "))
		if !bytes.ContainsAny(state[:min(len(state), 1)], "TtZX") {
			time.Sleep(100 * time.Microsecond)
			return false, nil
		}
	}
	return true, nil
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
func connectionsIn(table []byte, sockets map[string]bool, port uint16) (list []string) {
	for lines := bufio.NewScanner(bytes.NewReader(table)); lines.Scan(); {
		fields := strings.Fields(lines.Text())
		if len(fields) < 10 || !sockets[fields[9]] {
			continue
		}
		own, ownErr := endpoint(fields[1])
		peer, peerErr := endpoint(fields[2])
		if ownErr == nil && peerErr == nil && peer.Port() == port {
			list = append(list, own.String())
		}
	}
	return list
}

// endpoint reads an address of the kernel's table: words of 32 bits in the machine's
// order, and the port.
func endpoint(text string) (netip.AddrPort, error) {
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
