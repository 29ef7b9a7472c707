// Shop is a small shop for activities: one page, which uses the TypeScript client. A page must not
// have a reseller's token, so this server has it: it sends the page's calls on to the marketplace,
// and only those that a customer may make.
//
//	MARKETPLACE_API_TOKEN=… go run ./examples/shop
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/signal"
	"syscall"
	"time"
)

func main() {
	addr := flag.String("addr", "127.0.0.1:8090", "the `address` to listen on")
	api := flag.String("marketplace", "http://127.0.0.1:8080", "the marketplace's `URL`")
	client := flag.String("client", "examples/clients/typescript", "the `folder` of the TypeScript client, with its npm packages")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := serve(ctx, *addr, *api, *client, os.Getenv("MARKETPLACE_API_TOKEN")); err != nil {
		fmt.Fprintln(os.Stderr, "shop:", err)
		os.Exit(1)
	}
}

// serve serves the shop until ctx ends.
func serve(ctx context.Context, addr, api, client, token string) error {
	if token == "" {
		return errors.New("set MARKETPLACE_API_TOKEN to a reseller's API token")
	}
	marketplace, err := url.Parse(api)
	if err != nil || marketplace.Host == "" {
		return fmt.Errorf("-marketplace: expected a URL such as http://127.0.0.1:8080, received %q", api)
	}
	script, err := bundle(client)
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp", addr)
	if err != nil {
		return err
	}
	server := &http.Server{Handler: newShop(marketplace, token, script), ReadHeaderTimeout: 10 * time.Second}
	defer context.AfterFunc(ctx, func() { _ = server.Close() })()
	fmt.Printf("the shop is at http://%s\n", listener.Addr())
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}
