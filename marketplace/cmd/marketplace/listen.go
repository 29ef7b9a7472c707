package main

import (
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"syscall"
	"time"
)

func listen(flag, address string) (net.Listener, error) {
	listener, err := net.Listen("tcp", address)
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		return nil, fmt.Errorf("%s %s: another program uses this port; choose another one, or 0 for a free port", flag, address)
	case errors.Is(err, syscall.EACCES):
		return nil, fmt.Errorf("%s %s: this user may not use this port; choose one from 1024 up", flag, address)
	case err != nil:
		var inside *net.OpError
		if errors.As(err, &inside) {
			err = inside.Err
		}
		return nil, fmt.Errorf("%s %s: %w; use an address of this machine, such as 127.0.0.1:8080", flag, address, err)
	}
	return listener, nil
}

// serveMetrics serves the metrics at a separate address until the returned function is called. For
// "" it does nothing.
func serveMetrics(address string, metrics http.Handler, log *slog.Logger) (end func(), err error) {
	if address == "" {
		return func() {}, nil
	}
	listener, err := listen("--metrics-addr", address)
	if err != nil {
		return nil, err
	}
	server := &http.Server{
		Handler:           metrics,
		ReadHeaderTimeout: 5 * time.Second, ReadTimeout: 5 * time.Second, WriteTimeout: time.Minute, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 32 << 10,
	}
	log.Info("serving metrics", slog.String("address", "http://"+listener.Addr().String()+"/metrics"))
	go func() { _ = server.Serve(listener) }() // until it is closed
	return func() { _ = server.Close() }, nil
}
