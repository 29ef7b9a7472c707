package main

import (
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"syscall"
	"time"

	"partnerkit.dev/marketplace/internal/api"
)

func listen(flag, address string) (net.Listener, error) {
	listener, err := net.Listen("tcp", address)
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		return nil, fmt.Errorf("%s %s: another program listens there; name another port, 0 takes a free one", flag, address)
	case errors.Is(err, syscall.EACCES):
		return nil, fmt.Errorf("%s %s: this user may not listen there; name a port from 1024 on", flag, address)
	case err != nil:
		var inside *net.OpError
		if errors.As(err, &inside) {
			err = inside.Err
		}
		return nil, fmt.Errorf("%s %s: %w; name an address of this machine, such as 127.0.0.1:8080", flag, address, err)
	}
	return listener, nil
}

// serveMetrics answers with the metrics at an address of their own, until the returned
// function is called; "" is none.
func serveMetrics(address string, config api.Config) (end func(), err error) {
	if address == "" {
		return func() {}, nil
	}
	listener, err := listen("--metrics-addr", address)
	if err != nil {
		return nil, err
	}
	server := &http.Server{
		Handler:           api.MetricsHandler(config),
		ReadHeaderTimeout: 5 * time.Second, ReadTimeout: 5 * time.Second, WriteTimeout: time.Minute, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 32 << 10,
	}
	config.Log.Info("serving metrics", slog.String("address", "http://"+listener.Addr().String()+"/metrics"))
	go func() { _ = server.Serve(listener) }() // until it is closed
	return func() { _ = server.Close() }, nil
}
