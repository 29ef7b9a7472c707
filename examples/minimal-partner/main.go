// Minimal-partner is the smallest complete partner of the contract in docs/contract.md: a boat
// company and a museum, in memory, with the Go standard library only. Read it, or use it as a
// starting point.
//
//	main.go     the six endpoints over HTTP, the key, start and stop
//	catalog.go  what is sold: products, options, units, and their slots
//	booking.go  the life of a booking: availability, reserve, confirm, release, cancel
//	answer.go   answers and refusals
//
// The ids in the comments, such as RSV-5, are clauses of that contract.
package main

import (
	"cmp"
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"
)

// maxBody limits a request's body. It is much larger than any valid body.
const maxBody = 64 << 10

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Getenv, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "minimal-partner:", err)
		os.Exit(1)
	}
}

// run serves until ctx ends, then waits for the running requests to finish.
func run(ctx context.Context, args []string, getenv func(string) string, stdout io.Writer) error {
	flags := flag.NewFlagSet("minimal-partner", flag.ExitOnError)
	addr := flags.String("addr", "127.0.0.1:8082", "`address` to listen on; port 0 chooses a free port")
	key := flags.String("auth-key", "", "`key` that the marketplace sends (default: $PARTNER_AUTH_KEY)")
	_ = flags.Parse(args) // exits on an error
	*key = cmp.Or(*key, getenv("PARTNER_AUTH_KEY"))
	if *key == "" {
		return errors.New("no key: set PARTNER_AUTH_KEY or give -auth-key")
	}

	products, err := catalog()
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp", *addr)
	if err != nil {
		return err
	}
	server := &http.Server{
		Handler: requireKey(*key, endpoints(newPlatform(products, time.Now))),
		// A caller that sends or reads a byte a minute must not occupy a connection forever.
		ReadHeaderTimeout: time.Minute,
		ReadTimeout:       time.Minute,
		WriteTimeout:      time.Minute,
		IdleTimeout:       time.Minute,
		MaxHeaderBytes:    16 << 10,
	}
	fmt.Fprintf(stdout, "minimal-partner: listening on http://%s\n", listener.Addr())

	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }()
	select {
	case err := <-served:
		return err
	case <-ctx.Done():
		grace, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		return server.Shutdown(grace)
	}
}

// requireKey refuses requests without the key, whatever the path (AUTH-2, AUTH-3), before it reads
// or changes anything (AUTH-5).
func requireKey(key string, next http.Handler) http.Handler {
	want := sha256.Sum256([]byte(key))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		// The key is sent as a bearer token or alone, as registered (AUTH-1).
		given := sha256.Sum256([]byte(strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")))
		// The duration of a plain comparison would reveal how much of a guess is correct.
		if subtle.ConstantTimeCompare(given[:], want[:]) != 1 {
			answer(w, http.StatusUnauthorized, object{"message": "The key is missing or wrong."})
			return
		}
		next.ServeHTTP(w, r)
	})
}

func endpoints(p *platform) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /products", func(w http.ResponseWriter, _ *http.Request) {
		answer(w, http.StatusOK, p.products) // limit and updated_since may be ignored (PRD-13, PRD-14)
	})
	mux.HandleFunc("POST /availability", endpoint(p.availability))
	mux.HandleFunc("POST /bookings/reserve", endpoint(p.reserve))
	mux.HandleFunc("POST /bookings/confirm", endpoint(p.confirm))
	// A code is one escaped segment of the path (RSV-6), which the mux unescapes.
	// The bodies may be absent (REL-1, CAN-1) and are not read.
	mux.HandleFunc("DELETE /bookings/{code}", func(w http.ResponseWriter, r *http.Request) {
		answer(w, http.StatusOK, p.release(r.PathValue("code")))
	})
	mux.HandleFunc("POST /bookings/{id}/cancel", func(w http.ResponseWriter, r *http.Request) {
		answer(w, http.StatusOK, p.cancel(r.PathValue("id")))
	})
	return mux
}

// endpoint reads a JSON body, calls do, and answers. An unreadable or refused request is answered
// with 400 and a message (RSV-5, CNF-5, GEN-8).
func endpoint[In, Out any](do func(In) (Out, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		var in In
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
		if err == nil {
			err = json.Unmarshal(body, &in)
		}
		if err != nil {
			answer(w, http.StatusBadRequest, object{"message": "The body cannot be read: " + err.Error()})
			return
		}
		out, err := do(in)
		if err != nil {
			answer(w, http.StatusBadRequest, object{"message": err.Error()})
			return
		}
		answer(w, http.StatusOK, out)
	}
}
