package partner_test

import (
	"crypto/tls"
	"crypto/x509"
	"io"
	"net"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"

	"partnerkit.dev/marketplace/internal/partner"
)

// refusing is a partner that speaks HTTP/2, and does not do the booking calls that
// arrive: it says so in one of the ways after which a client may send them again.
type refusing struct {
	refuse   func(framer *http2.Framer, stream uint32) (last bool)
	bookings atomic.Int32 // booking calls that have arrived
}

func (p *refusing) serve(conn net.Conn) {
	defer conn.Close()
	preface := make([]byte, len(http2.ClientPreface))
	if _, err := io.ReadFull(conn, preface); err != nil {
		return
	}
	framer := http2.NewFramer(conn, conn)
	framer.ReadMetaHeaders = hpack.NewDecoder(4096, nil)
	if err := framer.WriteSettings(); err != nil {
		return
	}
	arrived := map[uint32]bool{} // the streams of booking calls
	for {
		frame, err := framer.ReadFrame()
		if err != nil {
			return
		}
		stream := frame.Header().StreamID
		headers, begins := frame.(*http2.MetaHeadersFrame)
		if begins && strings.Contains(headers.PseudoValue("path"), "/bookings/") {
			p.bookings.Add(1)
			arrived[stream] = true
		}
		settings, asks := frame.(*http2.SettingsFrame)
		switch {
		case asks && !settings.IsAck():
			err = framer.WriteSettingsAck()
		case stream == 0 || !frame.Header().Flags.Has(http2.FlagDataEndStream):
		case arrived[stream]:
			if p.refuse(framer, stream) {
				return
			}
		default:
			const ok = "\x88" // :status 200, from the static table
			if err = framer.WriteHeaders(http2.HeadersFrameParam{StreamID: stream, BlockFragment: []byte(ok), EndHeaders: true}); err == nil {
				err = framer.WriteData(stream, true, []byte("[]"))
			}
		}
		if err != nil {
			return
		}
	}
}

// at returns a client of it.
func (p *refusing) at(t *testing.T) *bench {
	t.Helper()
	whose := httptest.NewTLSServer(nil)
	defer whose.Close()
	listener, err := tls.Listen("tcp", "127.0.0.1:0", &tls.Config{Certificates: whose.TLS.Certificates, NextProtos: []string{"h2"}})
	check(t, err)
	t.Cleanup(func() { listener.Close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go p.serve(conn)
		}
	}()
	b := setup(t, nil)
	trusted := x509.NewCertPool()
	trusted.AddCert(whose.Certificate())
	b.Trust(trusted)
	b.target.BaseURL = &url.URL{Scheme: "https", Host: listener.Addr().String()}
	return b
}

func TestABookingCallIsSentOnceOverHTTP2Too(t *testing.T) {
	t.Parallel()
	for name, refuse := range map[string]func(*http2.Framer, uint32) bool{
		"its stream is refused": func(f *http2.Framer, stream uint32) bool {
			return f.WriteRSTStream(stream, http2.ErrCodeRefusedStream) != nil
		},
		"the connection is going away, and has not done it": func(f *http2.Framer, stream uint32) bool {
			_ = f.WriteGoAway(stream-2, http2.ErrCodeNo, nil)
			return true
		},
		"the connection is closed": func(*http2.Framer, uint32) bool { return true },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := &refusing{refuse: refuse}
			b := p.at(t)
			for call, send := range map[string]func() partner.Outcome{
				"reserve": func() partner.Outcome { _, outcome := b.reserve(t.Context()); return outcome },
				"confirm": func() partner.Outcome { _, outcome := b.confirm(t.Context()); return outcome },
			} {
				before := p.bookings.Load()
				if err := b.Probe(t.Context(), b.target); err != nil { // it leaves a connection to be used again
					t.Fatal(err)
				}
				if outcome, arrived := send(), p.bookings.Load()-before; arrived != 1 || outcome.Kind != partner.Unanswered {
					t.Errorf("%s: want it sent once, and no answer, got %d calls and %+v", call, arrived, outcome)
				}
			}
		})
	}
}
