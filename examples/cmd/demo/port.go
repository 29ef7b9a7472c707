package main

import (
	"fmt"
	"net"
	"strconv"
)

// ports are the ports of demo up. They are fixed so that a guide can name them.
var ports = map[string]int{"marketplace": 8080, "mockpartner": 8081}

// address returns the address for a service to listen on. In demo up it has the service's own port.
// The demo uses any free port, so that it never disturbs a demo up.
func (s *stage) address(service string) string {
	if !s.fixedPorts {
		return loopbackAddress(0)
	}
	port, free := choose(ports[service])
	if !free {
		s.output.holds(fmt.Sprintf("port %d is in use: %s uses port %d instead", ports[service], service, port))
	}
	return loopbackAddress(port)
}

// choose returns a free port: the preferred one if it is free.
func choose(preferred int) (port int, free bool) {
	for _, wanted := range []int{preferred, 0} {
		listener, err := net.Listen("tcp", loopbackAddress(wanted))
		if err != nil {
			continue
		}
		port = listener.Addr().(*net.TCPAddr).Port
		_ = listener.Close() // it accepted no connection
		break
	}
	return port, port == preferred
}

func loopbackAddress(port int) string { return net.JoinHostPort("127.0.0.1", strconv.Itoa(port)) }
