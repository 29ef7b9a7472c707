package partner_test

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"code.dny.dev/ssrf"
	"golang.org/x/net/dns/dnsmessage"

	"partnerkit.dev/marketplace/internal/partner"
)

// names is a name server for the test.
type names struct {
	mu      sync.Mutex
	answers map[string][]string // addresses by name
}

func (n *names) set(name string, addresses ...string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.answers[name] = addresses
}

// resolver answers with the addresses that are set at that moment.
func resolver(t *testing.T) (*net.Resolver, *names) {
	t.Helper()
	n := &names{answers: map[string][]string{}}
	socket, err := net.ListenPacket("udp", "127.0.0.1:0")
	check(t, err)
	t.Cleanup(func() { _ = socket.Close() })
	go func() {
		packet := make([]byte, 1500)
		for {
			size, from, err := socket.ReadFrom(packet)
			if err != nil {
				return // closed
			}
			var message dnsmessage.Message
			if message.Unpack(packet[:size]) != nil || len(message.Questions) != 1 {
				continue
			}
			if reply, err := n.reply(message); err == nil {
				_, _ = socket.WriteTo(reply, from)
			}
		}
	}()
	return &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		var d net.Dialer
		return d.DialContext(ctx, "udp", socket.LocalAddr().String())
	}}, n
}

func (n *names) reply(message dnsmessage.Message) ([]byte, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	question := message.Questions[0]
	message.Response, message.Additionals = true, nil
	for _, text := range n.answers[strings.TrimSuffix(question.Name.String(), ".")] {
		address := netip.MustParseAddr(text)
		header := dnsmessage.ResourceHeader{Name: question.Name, Type: question.Type, Class: dnsmessage.ClassINET}
		switch {
		case address.Is4() && question.Type == dnsmessage.TypeA:
			message.Answers = append(message.Answers, dnsmessage.Resource{Header: header, Body: &dnsmessage.AResource{A: address.As4()}})
		case address.Is6() && question.Type == dnsmessage.TypeAAAA:
			message.Answers = append(message.Answers, dnsmessage.Resource{Header: header, Body: &dnsmessage.AAAAResource{AAAA: address.As16()}})
		}
	}
	return message.Pack()
}

// public is an address of this machine that the guard of these tests accepts as
// public.
const public = "127.0.0.2"

// newNamedBench returns a client whose partner has the name partner.example.
func newNamedBench(t *testing.T, answer http.HandlerFunc) (*bench, *names) {
	t.Helper()
	listener, err := net.Listen("tcp", public+":0")
	if err != nil {
		t.Skipf("%s is not this machine here: %v", public, err)
	}
	server := httptest.NewUnstartedServer(answer)
	_ = server.Listener.Close()
	server.Listener = listener
	server.Start()
	t.Cleanup(server.Close)
	names, found := resolver(t)
	found.set("partner.example", public)
	b := setup(t, answer, func(c *partner.Config) {
		c.Guard = partner.GuardOf(names, netip.MustParsePrefix(public+"/32"))
	})
	_, port, err := net.SplitHostPort(listener.Addr().String())
	check(t, err)
	b.target.BaseURL.Host = "partner.example:" + port
	return b, found
}

func (b *bench) call(t *testing.T) error {
	t.Helper()
	return b.Products(t.Context(), b.target, time.Time{}, acceptAny)
}

func isRefused(err error) bool { return err != nil && errors.Is(err, ssrf.ErrProhibitedIP) }

func TestANameIsLookedAtWheneverItIsDialled(t *testing.T) {
	t.Parallel()
	b, names := newNamedBench(t, func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("Connection", "close") })
	if err := b.call(t); err != nil {
		t.Fatalf("want a public address called, got %v", err)
	}
	for _, inside := range []string{
		"127.0.0.1", "10.0.0.1", "169.254.169.254", "100.64.0.1", "0.0.0.0", "::1", "::ffff:127.0.0.1", "::ffff:10.0.0.1", "::127.0.0.1",
		"64:ff9b::7f00:1", "64:ff9b:1::7f00:1", "2002:7f00:1::1", "2001:0:7f00:1::1", "fd00:ec2::254", "fe80::1", "fec0::1",
	} {
		names.set("partner.example", inside)
		if err := b.call(t); !isRefused(err) {
			t.Errorf("%s: want the name refused now, got %v", inside, err)
		}
	}
	names.set("partner.example", public)
	if err := b.call(t); err != nil {
		t.Errorf("want it called again, got %v", err)
	}
}

func TestOnlyThePublicAddressesOfANameAreDialled(t *testing.T) {
	t.Parallel()
	b, names := newNamedBench(t, func(http.ResponseWriter, *http.Request) {})
	names.set("partner.example", "127.0.0.1", "::1", public)
	if err := b.call(t); err != nil {
		t.Errorf("want the public one called, got %v", err)
	}
}

func TestAConnectionForOneHostNameIsNotUsedForAnother(t *testing.T) {
	t.Parallel()
	b, names := newNamedBench(t, func(http.ResponseWriter, *http.Request) {})
	if err := b.call(t); err != nil { // the connection stays open
		t.Fatal(err)
	}
	other := b.target
	address := *b.target.BaseURL
	address.Host = strings.Replace(address.Host, "partner.example", "other.example", 1)
	other.BaseURL = &address
	names.set("other.example", "127.0.0.1")
	if err := b.Probe(t.Context(), other); !isRefused(err) {
		t.Errorf("want the other name looked at for itself, got %v", err)
	}
}

func TestARedirectInsideIsNotFollowed(t *testing.T) {
	t.Parallel()
	var inside atomic.Int64
	private := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { inside.Add(1) }))
	t.Cleanup(private.Close)
	for _, status := range []int{301, 302, 303, 307, 308} {
		b, _ := newNamedBench(t, func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, private.URL, status) })
		if err := b.call(t); err == nil || inside.Load() != 0 {
			t.Errorf("%d: want an error and no other call, got %v and %d", status, err, inside.Load())
		}
	}
}

func TestAProxyOfTheEnvironmentIsNotUsed(t *testing.T) {
	var proxied atomic.Int64
	proxy := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { proxied.Add(1) }))
	t.Cleanup(proxy.Close)
	for _, name := range []string{"HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy", "ALL_PROXY"} {
		t.Setenv(name, proxy.URL)
	}
	var direct atomic.Int64
	b, _ := newNamedBench(t, func(http.ResponseWriter, *http.Request) { direct.Add(1) })
	if err := b.call(t); err != nil || direct.Load() != 1 || proxied.Load() != 0 {
		t.Errorf("want one call of our own, got %d, %d by the proxy, and %v", direct.Load(), proxied.Load(), err)
	}
}

// Some systems' resolvers accept these as 127.0.0.1. Ours looks them up as names.
func TestANumberIsNotAName(t *testing.T) {
	t.Parallel()
	b, _ := newNamedBench(t, func(http.ResponseWriter, *http.Request) { t.Error("want no call to arrive") })
	for _, host := range []string{"2130706433", "0177.0.0.1", "0x7f.0.0.1", "127.1"} {
		b.target.BaseURL.Host = host
		if err := b.call(t); err == nil {
			t.Errorf("%s: want no call", host)
		}
	}
}
