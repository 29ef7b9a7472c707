package examples_test

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"partnerkit.dev/internal/tooltest"
	"partnerkit.dev/marketplace/client"
	"partnerkit.dev/mockpartner"
	"partnerkit.dev/mockpartner/catalog"
	mockclient "partnerkit.dev/mockpartner/client"
	"partnerkit.dev/mockpartner/mocktest"
	"partnerkit.dev/schemas/partnerapi"
)

// market is the marketplace command with its own database, and its API clients.
type market struct {
	url      string
	operator *client.Operator
	partner  *client.Partner
	shop     *client.Reseller
}

const operatorEmail, operatorPassword = "ana@example.com", "a password of this test"

// open starts a marketplace that runs until the test ends, with additional flags.
func open(t *testing.T, flags ...string) *market {
	t.Helper()
	folder, err := os.MkdirTemp("", "cookbook-test-")
	check(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(folder) })
	check(t, os.Chmod(folder, 0o711)) // for PostgreSQL's user, if root runs the test
	m := &market{}
	var complaint strings.Builder
	serve := exec.Command(filepath.Join(commands(t), "marketplace"), append([]string{"serve", "--addr", "127.0.0.1:0", "--data-dir", filepath.Join(folder, "data"), "--allow-private-partners", "--rate-limit", "0"}, flags...)...)
	serve.Env = append(os.Environ(), "MARKETPLACE_NPM_REGISTRY="+cmp.Or(os.Getenv("MARKETPLACE_NPM_REGISTRY"), "npm"), "MARKETPLACE_OPERATOR_EMAIL="+operatorEmail, "MARKETPLACE_OPERATOR_PASSWORD="+operatorPassword)
	serve.Stderr = &complaint
	out, err := serve.StdoutPipe()
	check(t, err)
	check(t, serve.Start())
	late := time.AfterFunc(patience, func() { _ = serve.Process.Kill() })
	lines := bufio.NewScanner(out)
	for m.url == "" && lines.Scan() {
		var entry struct{ Msg, Address string }
		if json.Unmarshal(lines.Bytes(), &entry) == nil && entry.Msg == "serving" {
			m.url = entry.Address
		}
	}
	late.Stop()
	if m.url == "" {
		_ = serve.Wait()
		if strings.Contains(complaint.String(), "no PostgreSQL found on this machine") {
			tooltest.Skip(t, tooltest.PostgreSQL, complaint.String())
		}
		t.Fatalf("want a marketplace, got %s", complaint.String())
	}
	drained := make(chan struct{})
	go func() {
		defer close(drained)
		for lines.Scan() { // otherwise the marketplace blocks when its log is not read
		}
	}()
	t.Cleanup(func() {
		_ = serve.Process.Signal(syscall.SIGTERM)
		<-drained
		if err := serve.Wait(); err != nil {
			t.Errorf("want the marketplace to end with 0, got %v: %s", err, complaint.String())
		}
	})
	m.signUp(t)
	return m
}

// signUp creates the accounts of a partner and a reseller.
func (m *market) signUp(t *testing.T) {
	t.Helper()
	var err error
	if m.operator, err = client.NewOperator(m.url, client.Password(operatorEmail, operatorPassword), client.Options{}); err != nil {
		t.Fatal(err)
	}
	for _, role := range []client.Role{client.PartnerRole, client.ResellerRole} {
		email := string(role) + "@example.com"
		if _, err := m.operator.CreateAccount(t.Context(), client.NewAccount{Email: email, Password: operatorPassword, Role: role, Name: string(role)}); err != nil {
			t.Fatal(err)
		}
	}
	// The clients do not retry, so that failures are visible.
	once := client.Options{Patience: -1}
	m.partner, err = client.NewPartner(m.url, client.Password("partner@example.com", operatorPassword), once)
	check(t, err)
	if m.shop, err = client.NewReseller(m.url, client.Password("reseller@example.com", operatorPassword), once); err != nil {
		t.Fatal(err)
	}
}

// counter is a partner with a cookbook scenario, registered at the marketplace.
type counter struct {
	*market
	t           *testing.T
	box         *mockpartner.Sandbox
	integration string
	hook        *client.Webhooks
}

// register creates a sandbox with the scenario and registers it. Without its own catalog, the
// scenario sells the first of the mock's products, or all if whole.
func (m *market) register(t *testing.T, mock *mocktest.Server, name string, whole bool) counter {
	t.Helper()
	scenario, err := mockpartner.LoadScenario(filepath.Join("cookbook", name+".yaml"))
	check(t, err)
	if scenario.Catalog == nil && !whole {
		scenario.Catalog = &catalog.Catalog{Products: sold().Products[:1]}
	}
	box, err := mock.Create(name)
	check(t, err)
	check(t, box.Play(scenario))
	known, err := m.partner.Register(t.Context(), client.Registration{Name: name, BaseURL: mock.URL + "/s/" + name, AuthKey: client.Secret(mock.AuthKey), HandlesTicketDelivery: true})
	check(t, err)
	hook, err := client.NewWebhooks(m.url, known.IntegrationID, known.WebhookSecret, client.Options{Patience: -1})
	check(t, err)
	return counter{m, t, box, known.IntegrationID, hook}
}

// order returns an order for one adult, in a slot that the marketplace shows as bookable.
func (c counter) order() client.Order {
	c.t.Helper()
	if _, err := c.hook.Trigger(c.t.Context()); err != nil {
		c.t.Fatal(err)
	}
	page, err := c.operator.Activities(client.OperatorActivityQuery{IntegrationID: c.integration}).Page(c.t.Context(), 1, 1)
	if err != nil || len(page.Entries) == 0 {
		c.t.Fatalf("want an activity, got none: %v", err)
	}
	o := client.Order{
		ActivityID: page.Entries[0].ID, VariationID: page.Entries[0].Variations[0].ID,
		Units:   []client.Party{{Type: partnerapi.Adult, Quantity: 1}},
		Contact: client.Contact{FullName: "Ada Novak", EmailAddress: "ada@example.com", PhoneNumber: "+351210000000"},
	}
	c.waitUntil("a slot that can be booked", func(ctx context.Context) (bool, error) {
		for day := 2; day < 30; day++ {
			slots, err := c.shop.Slots(ctx, client.SlotsQuery{ActivityID: o.ActivityID, VariationID: o.VariationID, Date: client.DateOf(time.Now().AddDate(0, 0, day))})
			if err != nil {
				return false, err
			}
			if at := slices.IndexFunc(slots, func(s client.Slot) bool { return s.Bookable }); at >= 0 {
				o.AvailabilityID = slots[at].AvailabilityID
				return true, nil
			}
		}
		return false, nil
	})
	return o
}

// waitUntil waits for an event that happens by itself.
func (c counter) waitUntil(what string, come func(context.Context) (bool, error)) {
	c.t.Helper()
	ctx, cancel := context.WithTimeout(c.t.Context(), patience)
	defer cancel()
	for tick := time.NewTicker(100 * time.Millisecond); ; {
		switch yes, err := come(ctx); {
		case err != nil:
			c.t.Fatalf("want %s, got %v", what, err)
		case yes:
			return
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			c.t.Fatalf("want %s, got none", what)
		}
	}
}

// bookAndPay books and pays.
func (c counter) bookAndPay() client.Booking {
	c.t.Helper()
	held, err := c.shop.Book(c.t.Context(), c.order())
	check(c.t, err)
	b, err := c.shop.Pay(c.t.Context(), held.ID, "payment of "+held.ID)
	check(c.t, err)
	return b
}

// expectRefusal requires that a booking fails with that status and these words.
func (c counter) expectRefusal(status int, words string) {
	c.t.Helper()
	b, err := c.shop.Book(c.t.Context(), c.order())
	var answer *client.Error
	if !errors.As(err, &answer) || answer.Status != status || !strings.Contains(answer.Message, words) {
		c.t.Errorf("want %d with %q, got %+v, %v", status, words, b, err)
	}
}

// The project's marketplace behaves as the cookbook expects of a good marketplace.
func TestTheMarketplaceSurvivesEveryRecipeOfTheCookbook(t *testing.T) {
	t.Parallel()
	m, mock := open(t), mocktest.Start(t, mockpartner.Options{Catalog: sold()})
	for name, stands := range map[string]func(c counter){
		"sold-out-at-checkout": func(c counter) { c.expectRefusal(409, "") },
		"refused-at-reserve":   func(c counter) { c.expectRefusal(409, "Sorry, the last seats went a moment ago.") },
		"reserve-answer-lost": func(c counter) {
			c.expectRefusal(502, "the connection was lost")
			all, err := c.operator.Bookings(client.BookingQuery{Attention: true}).Page(c.t.Context(), 1, 100)
			if err != nil || !slices.ContainsFunc(all.Entries, func(b client.Booking) bool { return b.Status == client.Lost }) {
				c.t.Errorf("want the attempt on record, got %+v, %v", all.Entries, err)
			}
		},
		"confirm-500-after-booking": func(c counter) {
			b := c.bookAndPay()
			if b.Status != client.Paid || b.Attention == nil || b.Attention.Reason != client.ConfirmRefused {
				c.t.Errorf("Expected the payment to be kept and an operator to be notified, received %s, %+v", b.Status, b.Attention)
			}
			if _, err := c.box.Testify(mockclient.Testimony{ByHand: c.box.Holds()[0].Code}); err != nil {
				c.t.Fatal(err)
			}
			if b, err := c.operator.Confirm(c.t.Context(), b.ID); err != nil || b.Status != client.Confirmed {
				c.t.Errorf("want it settled by an operator, got %s, %v", b.Status, err)
			}
		},
		"confirm-answer-lost": func(c counter) {
			b := c.bookAndPay()
			c.waitUntil("the booking confirmed again", func(ctx context.Context) (bool, error) {
				now, err := c.shop.Booking(ctx, b.ID)
				return now.Status == client.Confirmed, err
			})
			if n := len(c.box.Bookings()); n != 1 {
				c.t.Errorf("want one booking at the partner's, got %d", n)
			}
		},
		"confirm-refused": func(c counter) {
			if b := c.bookAndPay(); b.Status != client.Paid || b.Attention == nil || !strings.Contains(b.Attention.Message, "The boat is in the yard today.") {
				c.t.Errorf("Expected the payment to be kept and the partner's message, received %s, %+v", b.Status, b.Attention)
			}
		},
		"ticket-missing": func(c counter) {
			b := c.bookAndPay()
			known, err := c.partner.Integration(c.t.Context(), c.integration)
			if err != nil || b.Status != client.Confirmed || len(known.Breaches) != 1 || known.Breaches[0].Endpoint != "confirm" {
				c.t.Errorf("want it confirmed and the breach on record, got %s, %+v, %v", b.Status, known.Breaches, err)
			}
		},
		"no-cancel": func(c counter) {
			b, err := c.shop.Cancel(c.t.Context(), c.bookAndPay().ID, "rain")
			if err != nil || b.Status != client.Cancelled {
				c.t.Fatalf("want it cancelled, got %s, %v", b.Status, err)
			}
			c.waitUntil("the cancellation not supported", func(ctx context.Context) (bool, error) {
				now, err := c.shop.Booking(ctx, b.ID)
				return now.PartnerCancellation == client.NotSupported, err
			})
		},
		"price-changes": func(c counter) {
			held, err := c.shop.Book(c.t.Context(), c.order())
			if err != nil || held.Total != "27" {
				c.t.Errorf("want what the slot costs at checkout, 27, got %s, %v", held.Total, err)
			}
		},
		"malformed-product": func(c counter) {
			pull, err := c.hook.Trigger(c.t.Context())
			known, asked := c.partner.Integration(c.t.Context(), c.integration)
			if err := errors.Join(err, asked); err != nil || pull.Synced != 6 || known.LastSync == nil || len(known.LastSync.SetAside) != 2 {
				c.t.Errorf("want six stored and two set aside, got %+v, %+v, %v", pull, known.LastSync, err)
			}
		},
		"catalog-cut-short": func(c counter) { c.notPulled() },
		"maintenance-page":  func(c counter) { c.notPulled() },
		"redirect":          func(c counter) { c.notPulled() },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := m.register(t, mock, name, name == "malformed-product" || name == "catalog-cut-short")
			stands(c)
			mocktest.AssertCallerKept(t, c.box)
		})
	}
}

// notPulled requires a pull that stores nothing and reports that.
func (c counter) notPulled() {
	c.t.Helper()
	if pull, err := c.hook.Trigger(c.t.Context()); err == nil {
		c.t.Errorf("want the pull to fail, got %+v", pull)
	}
	page, err := c.operator.Activities(client.OperatorActivityQuery{IntegrationID: c.integration}).Page(c.t.Context(), 1, 1)
	if err != nil || len(page.Entries) != 0 {
		c.t.Errorf("want nothing stored, got %+v, %v", page.Entries, err)
	}
}
