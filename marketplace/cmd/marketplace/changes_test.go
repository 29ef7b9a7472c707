package main

import (
	"encoding/json"
	"strings"
	"syscall"
	"testing"

	"partnerkit.dev/marketplace/client"
	"partnerkit.dev/marketplace/internal/postgres/pgtest"
	"partnerkit.dev/marketplace/internal/waittest"
	"partnerkit.dev/mockpartner"
	"partnerkit.dev/mockpartner/mocktest"
)

// A change of state is logged once, however many replicas see its cause.
func TestEveryChangeOfStateIsOneLineInTheLogOfOneReplica(t *testing.T) {
	t.Parallel()
	address := pgtest.URL(t)
	flags := []string{"--database-url", address, "--probe-interval", "1s"}
	first, second := startService(t, append(firstOperator, keyRing), flags...), startService(t, []string{keyRing}, flags...)
	partner := mocktest.Start(t, mockpartner.Options{Seed: 1})
	email, order := first.openShop(t, partner)
	shop, err := client.NewReseller(first.base, client.Password(email, operatorPassword), client.Options{})
	must(t, err)
	operator, err := client.NewOperator(second.base, client.Password("op@example.com", operatorPassword), client.Options{})
	must(t, err)

	_, err = partner.Control.Faults.Arm(t.Context(), `[{match: {endpoint: confirm}, times: 1, status: 400, body: {message: "no"}}]`)
	must(t, err)
	held, err := shop.Book(t.Context(), order)
	must(t, err)
	paid, err := shop.Pay(t.Context(), held.ID, "p-1")
	must(t, err)
	if paid.Attention == nil {
		t.Fatalf("Expected the booking to need attention, received %+v", paid)
	}
	_, err = operator.Cancel(t.Context(), held.ID, "refused")
	must(t, err)

	_, err = partner.Control.Faults.Arm(t.Context(), `[{name: down, match: {endpoint: products}, status: 503}]`)
	must(t, err)
	booking, err := operator.Booking(t.Context(), held.ID)
	must(t, err)
	platform, err := client.NewPartner(first.base, client.Password("partner@example.com", operatorPassword), client.Options{})
	must(t, err)
	state := func() string {
		found, err := platform.Integration(t.Context(), booking.IntegrationID)
		must(t, err)
		return string(found.Health.State)
	}
	waittest.Until(t, "a DEGRADED partner", func() bool { return state() == "DEGRADED" })
	must(t, partner.Control.Faults.Disarm(t.Context(), "down"))
	waittest.Until(t, "a HEALTHY partner", func() bool { return state() == "HEALTHY" })

	var lines strings.Builder
	for _, s := range []*service{first, second} {
		must(t, s.Process.Signal(syscall.SIGTERM))
		lines.WriteString(s.ends(t).out)
	}
	for _, want := range []struct{ level, message, detail string }{
		{"WARN", "a partner is DEGRADED", `"reason":"answered with 503"`},
		{"INFO", "a partner is HEALTHY again", `"reason":"ok"`},
		{"WARN", "a booking needs an operator", `"reason":"confirm_refused"`},
		{"INFO", "a booking no longer needs an operator", `"reason":"confirm_refused"`},
	} {
		found := 0
		for line := range strings.Lines(lines.String()) {
			var entry struct{ Level, Msg, Integration string }
			if json.Unmarshal([]byte(line), &entry) == nil && entry.Msg == want.message && entry.Level == want.level && strings.Contains(line, want.detail) && strings.Contains(line, `"integration_id"`) {
				found++
			}
		}
		if found != 1 {
			t.Errorf("Expected one line %q of level %s with %s, received %d in\n%s", want.message, want.level, want.detail, found, lines.String())
		}
	}
}
