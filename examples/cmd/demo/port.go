package main

import (
	"fmt"
	"net"
	"strconv"
)

// ports are those that demo up uses, so that a guide can name them.
var ports = map[string]int{"marketplace": 8080, "mockpartner": 8081}

// address returns where a service is to listen: on its own port with demo up, and on any
// free port in the demo, which therefore never disturbs a demo up.
func (s *stage) address(service string) string {
	if !s.fixedPorts {
		return loopback(0)
	}
	port, free := choose(ports[service])
	if !free {
		s.tell.holds(fmt.Sprintf("port %d is in use: %s uses port %d instead", ports[service], service, port))
	}
	return loopback(port)
}

// choose returns a port that is free now: the preferred one where it is.
func choose(preferred int) (port int, free bool) {
	for _, wanted := range []int{preferred, 0} {
		listener, err := net.Listen("tcp", loopback(wanted))
		if err != nil {
			continue
		}
		port = listener.Addr().(*net.TCPAddr).Port
		_ = listener.Close() // nothing has been accepted
		break
	}
	return port, port == preferred
}

func loopback(port int) string { return net.JoinHostPort("127.0.0.1", strconv.Itoa(port)) }
