package main

import (
	"cmp"
	"context"
	"crypto/rand"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"partnerkit.dev/marketplace/client"
	"partnerkit.dev/schemas/partnerapi"
)

// market is the marketplace and the data that steps share.
type market struct {
	url         string
	operator    *client.Operator
	partner     *client.Partner
	shop        *client.Reseller
	accounts    []account
	shopID      string        // of the shop's account
	token       client.Secret // the shop's
	integration client.Registered
	listed      []client.Activity // in EUR
	offer       offer
	held        string // the booking that is paid for next
}

// account is an account that the demo created, with a password for this run only.
type account struct {
	role     client.Role
	email    string
	password client.Secret
}

func newAccount(role client.Role) account {
	return account{role, string(role) + "@example.com", client.Secret(rand.Text())}
}

// paces are the intervals of the marketplace's background work.
type paces struct{ probe, sweep time.Duration }

// startMarket starts the marketplace with its own PostgreSQL in a new folder, and signs in its
// first operator.
func (s *stage) startMarket(ctx context.Context, often paces) (err error) {
	operator := newAccount(client.OperatorRole)
	args := []string{
		"serve", "--addr", s.address("marketplace"), "--data-dir", filepath.Join(s.scratch, "marketplace"), "--allow-private-partners",
		"--probe-interval", often.probe.String(), "--sweep-interval", often.sweep.String(), "--log-format", "text",
	}
	s.output.command("marketplace", args...)
	given := []string{"MARKETPLACE_NPM_REGISTRY=" + cmp.Or(os.Getenv("MARKETPLACE_NPM_REGISTRY"), "npm"), "MARKETPLACE_OPERATOR_EMAIL=" + operator.email, "MARKETPLACE_OPERATOR_PASSWORD=" + string(operator.password)}
	if s.market.url, err = s.serve(ctx, given, "marketplace", args...); err != nil {
		return aboutOwnDatabase(err)
	}
	s.market.accounts = append(s.market.accounts, operator)
	s.market.operator, err = client.NewOperator(s.market.url, client.Password(operator.email, operator.password), s.clientOptions())
	return err
}

// aboutOwnDatabase adds to the advice of a marketplace without PostgreSQL that the demo uses only
// its own database.
func aboutOwnDatabase(err error) error {
	if strings.Contains(err.Error(), "MARKETPLACE_DATABASE_URL") {
		return fmt.Errorf("%w (your own marketplace: the demo uses only its own database)", err)
	}
	return err
}

// clientOptions returns the options of a client whose calls are printed. It does not retry, so that
// failures are visible.
func (s *stage) clientOptions() client.Options {
	return client.Options{HTTP: s.output.listening("marketplace", s.printPartnerCalls), Patience: -1}
}

// openAccounts creates accounts for a partner and a reseller, and the reseller's token.
func (s *stage) openAccounts(ctx context.Context) error {
	m := &s.market
	seller, shop := newAccount(client.PartnerRole), newAccount(client.ResellerRole)
	for _, one := range []account{seller, shop} {
		made, err := m.operator.CreateAccount(ctx, client.NewAccount{Email: one.email, Password: one.password, Role: one.role, Name: "The demo's " + string(one.role)})
		if err != nil {
			return err
		}
		m.accounts = append(m.accounts, one)
		if one != shop {
			continue
		}
		m.shopID = made.ID
		token, err := m.operator.CreateAPIToken(ctx, made.ID, "demo", "")
		if err != nil {
			return err
		}
		m.token = token.Token
	}
	var err error
	if m.partner, err = client.NewPartner(m.url, client.Password(seller.email, seller.password), s.clientOptions()); err != nil {
		return err
	}
	m.shop, err = client.NewReseller(m.url, client.APIToken(m.token), s.clientOptions())
	return err
}

// offer is a variation that the demo books.
type offer struct {
	activity  client.Activity
	variation client.Variation
	product   string        // the partner's id of the activity
	slots     []client.Slot // with enough free seats
}

const (
	// seats is the number of free seats that a slot needs for all bookings of the demo.
	seats = 8
	// slotsWanted is the number of slots that the steps book. The last one is sold out.
	slotsWanted = 3
)

// findOffer looks for a variation with fixed starts and enough slots.
func (m *market) findOffer(ctx context.Context) error {
	for _, activity := range m.listed {
		for _, variation := range activity.Variations {
			if variation.AvailabilityType != partnerapi.StartTime {
				continue
			}
			found := offer{activity: activity, variation: variation}
			var err error
			if found.slots, err = m.slotsOf(ctx, found); err != nil {
				return err
			}
			if len(found.slots) < slotsWanted {
				continue
			}
			known, err := m.operator.Activity(ctx, activity.ID)
			found.product = known.ExternalSync.ExternalProductID
			m.offer = found
			return err
		}
	}
	return fmt.Errorf("expected a variation with %d slots of %d seats; none of %d activities has one", slotsWanted, seats, len(m.listed))
}

// slotsOf returns slots with enough free seats. It starts two days ahead, because the partner's
// date may differ from ours.
func (m *market) slotsOf(ctx context.Context, o offer) (slots []client.Slot, err error) {
	from := time.Now().AddDate(0, 0, 2)
	days, err := m.shop.Calendar(ctx, client.CalendarQuery{
		ActivityID: o.activity.ID, VariationID: o.variation.ID, Currency: "EUR",
		From: client.DateOf(from), To: client.DateOf(from.AddDate(0, 0, 30)),
	})
	for _, day := range days {
		if day.Status != partnerapi.StatusAvailable || len(slots) >= slotsWanted {
			continue
		}
		all, err := m.slotsOn(ctx, o, day.Date)
		if err != nil {
			return nil, err
		}
		for _, slot := range all {
			if slot.Status == partnerapi.StatusAvailable && slot.Vacancies != nil && *slot.Vacancies >= seats {
				slots = append(slots, slot)
			}
		}
	}
	return slots, err
}

func (m *market) slotsOn(ctx context.Context, o offer, date client.Date) ([]client.Slot, error) {
	return m.shop.Slots(ctx, client.SlotsQuery{ActivityID: o.activity.ID, VariationID: o.variation.ID, Date: date, Currency: "EUR"})
}

// slotNow reads a slot of the offer as the marketplace shows it now.
func (m *market) slotNow(ctx context.Context, wanted client.Slot) (client.Slot, error) {
	slots, err := m.slotsOn(ctx, m.offer, client.DateOf(wanted.Start))
	for _, slot := range slots {
		if slot.AvailabilityID == wanted.AvailabilityID {
			return slot, err
		}
	}
	if err == nil {
		err = fmt.Errorf("expected slot %s on its day, received %d other slots", wanted.AvailabilityID, len(slots))
	}
	return client.Slot{}, err
}

// book makes a booking for two guests in a slot.
func (m *market) book(ctx context.Context, slot client.Slot, customer string) (client.Booking, error) {
	return m.shop.Book(ctx, client.Order{
		ActivityID: m.offer.activity.ID, VariationID: m.offer.variation.ID, AvailabilityID: slot.AvailabilityID, Currency: "EUR",
		Units:   []client.Party{{Type: partnerapi.Adult, Quantity: 2}},
		Contact: client.Contact{FullName: customer, EmailAddress: "customer@example.com", PhoneNumber: "+351 21 000 0000"},
	})
}
