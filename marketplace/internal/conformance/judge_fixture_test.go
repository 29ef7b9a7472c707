package conformance_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"

	"partnerkit.dev/internal/buildtest"
	"partnerkit.dev/marketplace/client"
	"partnerkit.dev/marketplace/internal/auth"
	"partnerkit.dev/marketplace/internal/conformance"
	"partnerkit.dev/marketplace/internal/domain"
	"partnerkit.dev/marketplace/internal/partner"
	"partnerkit.dev/marketplace/internal/partner/partnertest"
	"partnerkit.dev/marketplace/internal/postgres"
	"partnerkit.dev/marketplace/internal/postgres/pgtest"
	"partnerkit.dev/mockpartner"
	"partnerkit.dev/mockpartner/catalog"
	"partnerkit.dev/mockpartner/mocktest"
	"partnerkit.dev/schemas/partnerapi"
)

// replica is what a replica has of the judging.
type replica struct {
	client *partner.Client
	judge  *conformance.Judge
}

// judged is a partner, an integration with it, and replicas that judge their calls.
type judged struct {
	store    *postgres.Store
	target   partner.Target
	replicas []replica
	log      *logged
}

// logged collects the log.
type logged struct {
	mu   sync.Mutex
	text strings.Builder
}

func (l *logged) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *logged) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

func setupJudges(t testing.TB, options mockpartner.Options, replicas int) *judged {
	t.Helper()
	b := &judged{store: pgtest.Open(t), log: &logged{}}
	b.target = b.partner(t, options)
	for range replicas {
		b.add(t, command())
	}
	return b
}

// partner starts a partner with one product, whose answers are short, and registers an integration with it.
func (b *judged) partner(t testing.TB, options mockpartner.Options) partner.Target {
	t.Helper()
	options.AuthKey, options.Catalog = key, catalog.Default()
	options.Catalog.Products = options.Catalog.Products[:1]
	server := mocktest.Start(t, options)
	secret, err := auth.NewSecret([]byte(strings.Repeat("s", auth.ShortestSecret)))
	must(t, err)
	registry := partner.NewRegistry(b.store.Partners, partner.NewGuard(true), secret, time.Now)
	account := uuid.New()
	must(t, b.store.Accounts.CreateAccount(t.Context(), domain.Account{ID: account, Email: account.String() + "@example.com", Role: domain.Partner, PasswordHash: "x", CreatedAt: time.Now()}))
	made, _, err := registry.Register(t.Context(), account, partner.Registration{Name: "Tours of " + account.String(), BaseURL: server.URL, AuthKey: key})
	must(t, err)
	base, err := url.Parse(server.URL)
	must(t, err)
	return partner.Target{ID: made.ID, Mode: domain.Live, BaseURL: base, AuthType: partnerapi.Bearer, AuthKey: key}
}

// add adds a replica whose judge is that command.
func (b *judged) add(t testing.TB, command string) replica {
	t.Helper()
	judge, err := conformance.NewJudge(conformance.JudgeConfig{Store: b.store.Partners, Command: command, Now: time.Now, Log: slog.New(slog.NewTextHandler(b.log, nil))})
	must(t, err)
	t.Cleanup(judge.Close)
	client, err := partner.NewClient(partner.Config{Guard: partner.NewGuard(true), Scale: partnertest.Unhurried, AtOnce: 12, Observe: b.observe, Now: time.Now, Watcher: judge})
	must(t, err)
	t.Cleanup(client.Close)
	r := replica{judge: judge, client: client}
	b.replicas = append(b.replicas, r)
	return r
}

func (b *judged) observe(uuid.UUID, partner.Observation) {}

// script returns the path of a shell script.
func script(t testing.TB, text string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "conformance")
	buildtest.Script(t, name, text+"\n")
	return name
}

// breaches returns the breaches of the integration as the API reads them.
func (b *judged) breaches(t testing.TB) []client.Breach {
	t.Helper()
	found, err := b.store.Partners.Breaches(t.Context(), []uuid.UUID{b.target.ID}, true)
	must(t, err)
	return found[b.target.ID]
}

// shopper makes bookings. Each call may go through another replica.
type shopper struct {
	*judged
	random *rand.Rand
	guest  partnerapi.Contact
}

func (b *judged) shopper(seed uint64) *shopper {
	return &shopper{b, rand.New(rand.NewPCG(seed, seed)), partnerapi.Contact{FullName: "Zephyrine Quill", EmailAddress: "zephyrine@quill.example", PhoneNumber: "+49 30 7654321"}}
}

func (s *shopper) client() *partner.Client { return s.replicas[s.random.IntN(len(s.replicas))].client }

// offer is an option with its slots.
type offer struct {
	product, option string
	slots           []slot
}

// pull reads the catalog and the slots of every option through one replica.
func (s *shopper) pull(ctx context.Context) (all []offer) {
	var catalog []struct {
		ID      string
		Options []struct {
			ID    string
			Units []struct{ ID string }
		}
	}
	client := s.client()
	_ = client.Products(ctx, s.target, time.Time{}, func(_ context.Context, body []byte) error { return json.Unmarshal(body, &catalog) })
	for _, p := range catalog {
		for _, o := range p.Options {
			if len(o.Units) == 0 || o.Units[0].ID != adult {
				continue
			}
			all = append(all, offer{p.ID, o.ID, s.slots(ctx, client, p.ID, o.ID, 0, 60)})
		}
	}
	return all
}

func (s *shopper) slots(ctx context.Context, client *partner.Client, product, option string, from, to int) (slots []slot) {
	day := func(n int) string { return time.Now().UTC().AddDate(0, 0, n).Format(time.DateOnly) }
	_ = client.Availability(ctx, s.target, partnerapi.AvailabilityRequest{
		ProductID: product, OptionID: option, LocalDateStart: day(from), LocalDateEnd: day(to), Units: []partnerapi.UnitQuantity{{ID: adult, Quantity: 1}},
	}, func(_ context.Context, body []byte) error { return json.Unmarshal(body, &slots) })
	return slots
}

// findBookable returns an option, and a day with a slot that is not sold out. Which slots the mock has
// sold depends on the date.
func (s *shopper) findBookable(ctx context.Context, client *partner.Client) (offer, int) {
	for _, o := range s.pull(ctx) {
		for day := 1; day <= 60; day++ {
			if slices.ContainsFunc(s.slots(ctx, client, o.product, o.option, day, day), isAvailable) {
				return o, day
			}
		}
	}
	return offer{}, 0
}

// book plays a booking: a fresh look at a day, a hold, and what may follow it. Not every day has slots.
func (s *shopper) book(ctx context.Context, offers []offer) {
	o, day := offers[s.random.IntN(len(offers))], 3+s.random.IntN(7)
	fresh := s.slots(ctx, s.client(), o.product, o.option, day, day)
	if len(fresh) == 0 {
		return
	}
	hold, outcome := s.client().Reserve(ctx, partner.SendBy{}, s.target, partnerapi.Healthy, partnerapi.ReserveRequest{
		ProductID: o.product, OptionID: o.option, AvailabilityID: fresh[s.random.IntN(len(fresh))].ID, Contact: &s.guest, ResellerReference: uuid.NewString(),
		Units: []partnerapi.UnitQuantity{{ID: adult, Quantity: 1 + s.random.IntN(3)}},
	}, func(partnerapi.ReserveAnswer, partner.Outcome) {})
	if outcome.Kind != partner.Done {
		return
	}
	code := hold.ReservationConfirmationCode
	confirm := func() string {
		booked, _ := s.client().Confirm(ctx, partner.SendBy{}, s.target, partnerapi.Healthy, partnerapi.ConfirmRequest{ReservationConfirmationCode: code, Contact: &s.guest}, false)
		return booked.ExternalBookingID
	}
	release := func() { s.client().Release(ctx, partner.SendBy{}, s.target, code) }
	switch s.random.IntN(6) {
	case 0:
		release()
	case 1:
		release()
		release()
		confirm() // as when another replica released it meanwhile
	case 2:
		confirm()
		confirm()
		release()
	case 3, 4:
		if id := confirm(); id != "" {
			s.client().Cancel(ctx, partner.SendBy{}, s.target, id, "rain")
			s.client().Cancel(ctx, partner.SendBy{}, s.target, id, "rain")
			confirm()
		}
	default:
		confirm()
	}
}

const adult = "unit-adult"

// slot is a slot as an answer shows it.
type slot struct {
	ID     string
	Status partnerapi.SlotStatus
}

func isAvailable(s slot) bool { return s.Status == partnerapi.StatusAvailable }

// sometimesUnauthorized answers every seventh call with 401, although its key is right.
func sometimesUnauthorized(next http.Handler) http.Handler {
	var calls atomic.Int64
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if calls.Add(1)%7 == 0 {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// dayLacksASlot leaves the last slot out of the answer about a single day.
func dayLacksASlot(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != partnerapi.AvailabilityPath {
			next.ServeHTTP(w, r)
			return
		}
		body, _ := io.ReadAll(r.Body)
		r.Body = io.NopCloser(bytes.NewReader(body))
		var asked partnerapi.AvailabilityRequest
		_ = json.Unmarshal(body, &asked)
		answer := httptest.NewRecorder()
		next.ServeHTTP(answer, r)
		var slots []json.RawMessage
		if asked.LocalDateStart == asked.LocalDateEnd && json.Unmarshal(answer.Body.Bytes(), &slots) == nil && len(slots) > 1 {
			text, _ := json.Marshal(slots[:len(slots)-1])
			answer.Body = bytes.NewBuffer(text)
		}
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(answer.Code)
		_, _ = w.Write(answer.Body.Bytes())
	})
}
