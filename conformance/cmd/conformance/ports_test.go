//go:build unix

package main_test

import (
	"errors"
	"fmt"
	"net"
	"syscall"
	"testing"
)

// fullPort returns an address on which attempts to connect wait without an
// answer, as behind a firewall that drops packets: no process accepts, and the
// queue of waiting connections is full.
func fullPort(t *testing.T) string {
	t.Helper()
	syscall.ForkLock.RLock() // no process that another test starts gets it
	socket, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM, 0)
	syscall.CloseOnExec(socket)
	syscall.ForkLock.RUnlock()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = syscall.Close(socket) })
	if err := errors.Join(syscall.Bind(socket, &syscall.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}), syscall.Listen(socket, 0)); err != nil {
		t.Fatal(err)
	}
	name, err := syscall.Getsockname(socket)
	if err != nil {
		t.Fatal(err)
	}
	address := fmt.Sprintf("127.0.0.1:%d", name.(*syscall.SockaddrInet4).Port)
	waiting, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = waiting.Close() })
	return address
}
