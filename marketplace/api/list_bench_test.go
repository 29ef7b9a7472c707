package api_test

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"log/slog"
	"math/rand"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"

	"partnerkit.dev/marketplace"
	"partnerkit.dev/marketplace/api"
	"partnerkit.dev/marketplace/catalog"
	"partnerkit.dev/marketplace/integration"
	"partnerkit.dev/marketplace/partner"
	"partnerkit.dev/marketplace/postgres"
	"partnerkit.dev/marketplace/postgres/pgtest"
	"partnerkit.dev/marketplace/secret"
	"partnerkit.dev/marketplace/signin"
	"partnerkit.dev/marketplace/storefront"
)

// seed puts activities of three variations into the database, as syncs and operators
// would have.
func seed(tb testing.TB, store *postgres.Store, activities int) {
	tb.Helper()
	owner, integration := uuid.New(), uuid.New()
	must := func(query string, args ...any) {
		tb.Helper()
		if _, err := store.Pool().Exec(tb.Context(), query, args...); err != nil {
			tb.Fatal(err)
		}
	}
	must(`INSERT INTO accounts VALUES ($1, 'partner@example.com', 'Partner', 'partner', 'none', now())`, owner)
	must(`INSERT INTO integrations (id, account_id, name, base_url, auth_type, auth_key, webhook_secret_hash, handles_ticket_delivery, created_at)
		VALUES ($1, $2, 'Old Town Walks', 'https://partner.example', 'bearer', '', sha256('x'), false, now())`, integration, owner)
	must(`INSERT INTO activities (id, integration_id, external_product_id, created_at, title, product, product_hash, partner_active, operator_active, details)
		SELECT gen_random_uuid(), $1, 'p' || n, now(), 'Walk number ' || n,
			jsonb_build_object('id', 'p' || n, 'timeZone', 'Europe/Lisbon', 'instantConfirmation', true), sha256('x'), true, true,
			jsonb_build_object('description', repeat('A walk through the old town. ', 12), 'categories', jsonb_build_array('Walks', 'Category ' || n % 50),
				'location', jsonb_build_object('city', 'City ' || n % 200, 'country', jsonb_build_object('id', 'PT', 'name', 'Portugal')))
		FROM generate_series(1, $2::int) AS n`, integration, activities)
	must(`INSERT INTO variations (id, activity_id, external_option_id, sort, title, option, option_hash, partner_active, details)
		SELECT gen_random_uuid(), a.id, 'o' || n, n, 'Way ' || n, jsonb_build_object('id', 'o' || n, 'availabilityType', 'START_TIME', 'units', jsonb_build_array(
			jsonb_build_object('id', 'unit-adult', 'internalName', 'Adult', 'type', 'ADULT', 'pricingFrom', jsonb_build_array(jsonb_build_object('original', 2000 + n, 'currency', 'EUR'))),
			jsonb_build_object('id', 'unit-child', 'internalName', 'Child', 'type', 'CHILD', 'pricingFrom', jsonb_build_array(jsonb_build_object('original', 1000 + n, 'currency', 'EUR'))))),
			sha256('x'), true, '{}'
		FROM activities a, generate_series(1, 3) AS n`)
	must(`INSERT INTO exchange_rates VALUES ('USD', 1.0855), ('JPY', 171.94), ('GBP', 0.8463)`)
	must(`UPDATE pricing_terms SET service_fee = 1.5, commission_percentage = 12.5`)
	must(`ANALYZE`)
}

// replica is a service on a database that others may share, as it runs: with a limit,
// and its log in a file.
type replica struct {
	front   *storefront.Front
	address string
	bearer  string
}

func aReplica(tb testing.TB, store *postgres.Store) *replica {
	tb.Helper()
	file, err := os.Create(filepath.Join(tb.TempDir(), "requests.log"))
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { file.Close() })
	log := slog.New(slog.NewJSONHandler(file, nil))
	front, err := storefront.Open(tb.Context(), storefront.Config{Store: store, PageCache: 256 << 20, AffiliateURL: "/{activity}/{affiliate}", Log: log})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(front.Close)
	key, err := secret.New([]byte(strings.Repeat("s", secret.Shortest)))
	if err != nil {
		tb.Fatal(err)
	}
	guard := partner.NewGuard(false)
	client := partner.NewClient(partner.Config{Guard: guard, AtOnce: 8, Now: time.Now})
	tb.Cleanup(client.Close)
	signIn := signin.New(store, key, 10, time.Now)
	server := httptest.NewServer(api.New(api.Config{
		Store: store, SignIn: signIn, Integrations: integration.NewService(store, guard, key, time.Now), Syncer: catalog.NewSyncer(store, client, time.Now),
		Front: front, RateLimit: 1 << 30, Now: time.Now, Log: log,
	}))
	tb.Cleanup(server.Close)
	email := uuid.NewString() + "@example.com"
	made, err := signin.NewAccount(marketplace.NewAccount{Email: email, Password: password, Role: marketplace.Reseller}, time.Now())
	if err != nil {
		tb.Fatal(err)
	}
	if err := store.CreateAccount(tb.Context(), made); err != nil {
		tb.Fatal(err)
	}
	tokens, err := signIn.SignIn(tb.Context(), email, password, "")
	if err != nil {
		tb.Fatal(err)
	}
	return &replica{front: front, address: strings.TrimPrefix(server.URL, "http://"), bearer: tokens.AccessToken}
}

// request is what is sent, byte for byte.
func (r *replica) request(path string, headers ...string) []byte {
	lines := append([]string{"GET " + path + " HTTP/1.1", "Host: marketplace.example", "Authorization: Bearer " + r.bearer}, headers...)
	return []byte(strings.Join(lines, "\r\n") + "\r\n\r\n")
}

// exchange sends a request and reads its answer, with as little of its own as can be.
func exchange(conn net.Conn, in *bufio.Reader, request []byte, keep io.Writer) (status int, header http.Header, err error) {
	if _, err := conn.Write(request); err != nil {
		return 0, nil, err
	}
	line, err := in.ReadSlice('\n')
	if err != nil {
		return 0, nil, err
	}
	if status, err = strconv.Atoi(string(line[9:12])); err != nil {
		return 0, nil, err
	}
	length := 0
	for {
		line, err := in.ReadSlice('\n')
		if err != nil {
			return 0, nil, err
		}
		if len(line) == 2 {
			break
		}
		name, value, _ := bytes.Cut(line, []byte(": "))
		if bytes.EqualFold(name, []byte("Content-Length")) {
			if length, err = strconv.Atoi(string(bytes.TrimSpace(value))); err != nil {
				return 0, nil, err
			}
		}
		if keep != nil {
			if header == nil {
				header = http.Header{}
			}
			header.Add(string(name), string(bytes.TrimSpace(value)))
		}
	}
	if keep == nil {
		_, err = in.Discard(length)
		return status, nil, err
	}
	_, err = io.CopyN(keep, in, int64(length))
	return status, header, err
}

// get asks once, and returns the answer.
func get(tb testing.TB, address string, request []byte) (http.Header, []byte) {
	tb.Helper()
	conn, err := net.Dial("tcp", address)
	if err != nil {
		tb.Fatal(err)
	}
	defer conn.Close()
	var body bytes.Buffer
	status, header, err := exchange(conn, bufio.NewReader(conn), request, &body)
	if err != nil || status != http.StatusOK {
		tb.Fatalf("want a page, got %d and %v: %s", status, err, body.Bytes())
	}
	return header, body.Bytes()
}

// aLine of a run: what came of so many requests.
type run struct {
	perSecond float64
	p99       time.Duration
}

const connections = 32

// load asks for what the draw names, on all connections, for a while.
func load(tb testing.TB, address string, requests [][]byte, want int, lasts time.Duration) run {
	tb.Helper()
	var all sync.WaitGroup
	var over atomic.Bool
	taken := make([][]time.Duration, connections)
	began := time.Now()
	for i := range connections {
		all.Go(func() {
			conn, err := net.Dial("tcp", address)
			if err != nil {
				tb.Error(err)
				return
			}
			defer conn.Close()
			in, random := bufio.NewReaderSize(conn, 64<<10), rand.New(rand.NewSource(int64(i)))
			zipf := rand.NewZipf(random, 1.1, 1, uint64(len(requests)/4-1))
			for !over.Load() {
				sent := time.Now()
				status, _, err := exchange(conn, in, requests[int(zipf.Uint64())*4+random.Intn(4)], nil)
				if err != nil || status != want {
					tb.Errorf("want %d, got %d and %v", want, status, err)
					return
				}
				taken[i] = append(taken[i], time.Since(sent))
			}
		})
	}
	time.Sleep(lasts) // it is how long the load lasts
	over.Store(true)
	all.Wait()
	lasted := time.Since(began)
	every := slices.Concat(taken...)
	slices.Sort(every)
	return run{perSecond: float64(len(every)) / lasted.Seconds(), p99: every[len(every)*99/100]}
}

func median[T cmp.Ordered](values []T) T {
	slices.Sort(values)
	return values[len(values)/2]
}

var listCurrencies = []string{"EUR", "USD", "JPY", "GBP"}

// bare answers with the same bytes, and nothing else.
func bare(tb testing.TB, r *replica, paths []string, headers ...string) string {
	type made struct {
		header http.Header
		body   []byte
	}
	answers := map[string]made{}
	for _, path := range paths {
		header, body := get(tb, r.address, r.request(path, headers...))
		answers[path] = made{header, body}
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		answer := answers[req.URL.RequestURI()]
		w.Header()["Content-Type"] = answer.header["Content-Type"]
		w.Header()["Content-Length"] = answer.header["Content-Length"]
		if req.Header.Get("If-None-Match") != "" {
			w.WriteHeader(http.StatusNotModified)
			return
		}
		_, _ = w.Write(answer.body)
	}))
	tb.Cleanup(server.Close)
	return strings.TrimPrefix(server.URL, "http://")
}

const rounds = 5

// BenchmarkList reads pages of 20 of 10,000 activities in 4 currencies while an operator
// changes one a second, against a bare server that sends the same bytes.
func BenchmarkList(b *testing.B) {
	store := pgtest.Open(b)
	seed(b, store, 10_000)
	first, second := aReplica(b, store), aReplica(b, store)
	paths := []string{}
	for page := range 500 {
		for _, currency := range listCurrencies {
			paths = append(paths, fmt.Sprintf("%s?limit=20&page=%d&currency=%s", resellersList, page+1, currency))
		}
	}
	for name, headers := range map[string][]string{"plain": nil, "gzip": {"Accept-Encoding: gzip"}} {
		b.Run(name, func(b *testing.B) { compare(b, store, first, second, paths, http.StatusOK, headers) })
	}
	b.Run("not modified", func(b *testing.B) { compare(b, store, first, second, paths, http.StatusNotModified, nil) })
}

func compare(b *testing.B, store *postgres.Store, first, second *replica, paths []string, want int, headers []string) {
	var requests [][]byte
	peer := bare(b, first, paths, headers...)
	if want == http.StatusNotModified {
		headers = append(headers, "If-None-Match: *")
	}
	for _, path := range paths {
		requests = append(requests, first.request(path, headers...))
	}
	var share, late, rate []float64
	for b.Loop() {
		for range rounds {
			plain := load(b, peer, requests, want, time.Second)
			stop := edit(b, store, first, second)
			ours := load(b, first.address, requests, want, time.Second)
			stop()
			share, rate = append(share, ours.perSecond/plain.perSecond), append(rate, ours.perSecond)
			late = append(late, float64(ours.p99)/float64(plain.p99))
		}
	}
	b.ReportMetric(median(share), "of-bare")
	b.ReportMetric(median(late), "p99-of-bare")
	b.ReportMetric(median(rate), "requests/s")
	b.ReportMetric(0, "ns/op")
}

// edit changes an activity of the first page once a second until it is stopped, and
// wants it shown at once where it was changed, and within 2 s at the other replica.
func edit(b *testing.B, store *postgres.Store, first, second *replica) (stop func()) {
	ctx, cancel := context.WithCancel(b.Context())
	var all sync.WaitGroup
	all.Go(func() {
		for n := 0; ; n++ {
			title := fmt.Sprintf("Changed %d at %d", n, time.Now().UnixNano())
			if _, err := store.Pool().Exec(b.Context(), `UPDATE activities SET title = $1 WHERE id = (SELECT id FROM activities ORDER BY created_at, id OFFSET 7 LIMIT 1)`, title); err != nil {
				b.Error(err)
				return
			}
			if err := first.front.CatchUp(b.Context()); err != nil {
				b.Error(err)
				return
			}
			changed := time.Now()
			shown := func(r *replica) bool {
				_, body := get(b, r.address, r.request(resellersList+"?limit=20&page=1&currency=USD"))
				return bytes.Contains(body, []byte(title))
			}
			if !shown(first) {
				b.Errorf("the change is not shown where it was made")
			}
			for !shown(second) {
				if time.Since(changed) > 2*time.Second {
					b.Errorf("the change is not shown at the other replica")
					return
				}
			}
			select {
			case <-ctx.Done():
				return
			case <-time.After(time.Second):
			}
		}
	})
	return func() { cancel(); all.Wait() }
}
