//go:build unix

package main

import (
	"net"
	"testing"
)

func TestAServiceUsesItsPortUnlessItIsTaken(t *testing.T) {
	t.Parallel()
	taken, err := net.Listen("tcp", loopbackAddress(0))
	check(t, err)
	preferred := taken.Addr().(*net.TCPAddr).Port
	if port, free := choose(preferred); free || port == preferred || port == 0 {
		t.Errorf("want another port than %d, which is taken, got %d, %v", preferred, port, free)
	}
	check(t, taken.Close())
	for range 50 { // another program may take a port that is free again
		listener, err := net.Listen("tcp", loopbackAddress(0))
		check(t, err)
		preferred = listener.Addr().(*net.TCPAddr).Port
		check(t, listener.Close())
		if port, free := choose(preferred); free && port == preferred {
			return
		}
	}
	t.Error("want a free port to be chosen, got others 50 times")
}
