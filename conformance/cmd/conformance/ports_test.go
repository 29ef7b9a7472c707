//go:build unix

package main_test

import (
	"fmt"
	"net"
	"syscall"
	"testing"
)

// bind returns a socket that has an address and does not listen.
func bind(t *testing.T) (socket int, address string) {
	t.Helper()
	syscall.ForkLock.RLock() // no process that another test starts gets it
	socket, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM, 0)
	syscall.CloseOnExec(socket)
	syscall.ForkLock.RUnlock()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = syscall.Close(socket) })
	if err := syscall.Bind(socket, &syscall.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}); err != nil {
		t.Fatal(err)
	}
	name, err := syscall.Getsockname(socket)
	if err != nil {
		t.Fatal(err)
	}
	return socket, fmt.Sprintf("127.0.0.1:%d", name.(*syscall.SockaddrInet4).Port)
}

// closedPort returns an address on which nobody listens.
func closedPort(t *testing.T) string {
	t.Helper()
	_, address := bind(t)
	return address
}

// fullPort returns an address on which attempts to connect wait without an
// answer, as behind a firewall that drops packets: nobody accepts, and the queue
// of those who wait is full.
func fullPort(t *testing.T) string {
	t.Helper()
	socket, address := bind(t)
	if err := syscall.Listen(socket, 0); err != nil {
		t.Fatal(err)
	}
	waiting, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = waiting.Close() })
	return address
}
