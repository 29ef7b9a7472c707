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
	if port, free := choose(preferred); !free || port != preferred {
		t.Errorf("want port %d, got %d, %v", preferred, port, free)
	}
}
