package examples_test

import (
	"bufio"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"partnerkit.dev/internal/axetest"
	"partnerkit.dev/internal/browsertest"
	"partnerkit.dev/internal/tooltest"
	"partnerkit.dev/marketplace/client"
	"partnerkit.dev/mockpartner"
	"partnerkit.dev/mockpartner/mocktest"
)

// openShop starts the shop for a marketplace with a partner whose refusals depend on the guest's name.
// It returns its address and the token that its page must not have.
func openShop(t *testing.T) (address, token string) {
	t.Helper()
	tooltest.Require(t, tooltest.NPM)
	m := open(t)
	mock := mocktest.Start(t, mockpartner.Options{Variants: []string{"test-partner"}})
	known, err := m.partner.Register(t.Context(), client.Registration{Name: "Tours", BaseURL: mock.URL, AuthKey: client.Secret(mock.AuthKey), HandlesTicketDelivery: true})
	check(t, err)
	hook, err := client.NewWebhooks(m.url, known.IntegrationID, known.WebhookSecret, client.Options{Patience: -1})
	check(t, err)
	counter{m, t, mock.Default(), known.IntegrationID, hook}.order() // waits for slots
	accounts, err := m.operator.Accounts(client.AccountQuery{Role: client.ResellerRole}).Page(t.Context(), 1, 1)
	check(t, err)
	made, err := m.operator.CreateAPIToken(t.Context(), accounts.Entries[0].ID, "shop", "")
	check(t, err)
	folder := t.TempDir()
	check(t, os.CopyFS(folder, source{os.DirFS("clients/typescript")}))
	run(t, folder, nil, npmCI...)
	shop := exec.Command(filepath.Join(commands(t), "shop"), "-addr", "127.0.0.1:0", "-marketplace", m.url, "-client", folder)
	shop.Env = append(os.Environ(), "MARKETPLACE_API_TOKEN="+string(made.Token))
	shop.Stderr = os.Stderr
	out, err := shop.StdoutPipe()
	check(t, err)
	check(t, shop.Start())
	t.Cleanup(func() {
		_ = shop.Process.Signal(syscall.SIGTERM)
		check(t, shop.Wait())
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	check(t, err)
	return strings.TrimSpace(line[strings.Index(line, "http"):]), string(made.Token)
}

// customer is a customer of the shop.
type customer struct{ *browsertest.Tab }

// waitUntilIdle waits until the search has ended: until then its button is disabled.
func (c customer) waitUntilIdle() {
	c.T.Helper()
	c.See(`document.querySelectorAll("#activities li").length > 0 && !document.querySelector("#filters button").disabled`)
}

// askForSeats chooses the first activity, day and time that can be booked, and enters a name.
func (c customer) askForSeats(name string) {
	c.T.Helper()
	c.GoTo("/")
	c.waitUntilIdle()
	c.Click("#activities li button")
	c.Click("#calendar button:enabled")
	c.Click("#times button:enabled")
	c.Write(`#order [name=fullName]`, name)
	c.Write(`#order [name=emailAddress]`, "ana@example.com")
}

// Each customer has a page: a browser's console lists answers such as 409, which only the second one expects.
func TestCustomersOfTheShop(t *testing.T) {
	t.Parallel()
	browser := browsertest.Start(t)
	address, token := openShop(t)
	t.Run("one books and cancels", func(t *testing.T) {
		t.Parallel()
		bookAndCancel(customer{browsertest.Open(t, browser, address)}, token)
	})
	t.Run("one reads why a booking is refused", func(t *testing.T) {
		t.Parallel()
		readRefusals(customer{browsertest.Open(t, browser, address)}, address)
	})
}

func bookAndCancel(c customer, token string) {
	axe := axetest.Source(c.T)
	c.GoTo("/")
	c.waitUntilIdle()
	c.Is(`new Date(document.querySelector("[name=date_from]").value + "T12:00").getDay() + ""`, "6")
	c.Shows("#results-title", "Sat")
	prices := `[...document.querySelectorAll("#activities .price")].map(e => Number(e.textContent.replace(/[^0-9.]/g, "")))`
	c.See(prices + `.length > 2 && ` + prices + `.every((price, i, all) => i === 0 || all[i - 1] <= price)`)
	axetest.Check(c.Tab, axe)
	all := browsertest.Value[int](c.Tab, prices+".length")
	dearest := browsertest.Value[float64](c.Tab, prices+".at(-1)")
	c.Write("[name=max_price]", fmt.Sprintf("%.2f", dearest-1))
	c.Click("#filters button")
	c.See(fmt.Sprintf(`%[1]s.length > 0 && %[1]s.length < %[2]d && %[1]s.every(price => price < %[3]g)`, prices, all, dearest))

	c.Click("#activities li button")
	c.See(`document.querySelectorAll("#calendar button").length % 14 === 0 && !!document.querySelector("#calendar button:enabled")`)
	c.Click("#calendar button:enabled")
	c.Shows("#times h3", ",")
	c.Click("#times button:enabled")
	c.Write(`#order [name=fullName]`, "Ana Sousa")
	c.Write(`#order [name=emailAddress]`, "ana@example.com")
	axetest.Check(c.Tab, axe)
	c.Fits(390, 1400)
	c.Click("#order button.main")
	c.Shows("#booking-title", "Your seats are held")
	axetest.Check(c.Tab, axe)
	c.Click("#order button.main")
	c.Shows("#booking-title", "Your booking is confirmed")
	c.Shows("#order .tickets code", "")
	axetest.Check(c.Tab, axe)
	c.Click("#order .row button")
	c.Shows("#booking-title", "Your booking is cancelled")
	c.askForSeats("Ana Sousa")
	c.Click("#order button.main")
	c.Shows("#booking-title", "Your seats are held")
	c.Click("#order .row button:not(.main)")
	c.Shows("#booking-title", "Your seats are free again")
	c.RequireNoProblems()

	read := browsertest.Value[string](c.Tab, `Promise.all(["/", "/shop.js", "/client.js", "/shop.css"].map(path => fetch(path).then(answer => answer.text()))).then(texts => texts.join())`)
	if len(read) < 10_000 || strings.Contains(read, token) {
		c.T.Errorf("want the page's files without the token, got %d bytes", len(read))
	}
}

func readRefusals(c customer, address string) {
	t := c.T
	for name, reason := range map[string]string{
		"Sold Out":      "The organiser did not accept this booking: The last seats were sold a moment ago.",
		"Reserve Fails": "The organiser's system does not work at the moment. Nothing was booked.",
	} {
		c.askForSeats(name)
		c.Click("#order button.main")
		c.Shows("#message", reason)
		c.Screenshot(strings.ReplaceAll(name, " ", "-"))
	}
	c.askForSeats("Stays Paid")
	c.Click("#order button.main")
	c.Shows("#booking-title", "Your seats are held")
	c.Click("#order button.main")
	c.Shows("#booking-title", "Your payment has arrived")
	c.Shows("#order", "The organiser has not confirmed yet.")

	c.GoTo("/")
	c.waitUntilIdle()
	c.Write("[name=min_price]", "1000")
	c.Write("[name=max_price]", "1")
	c.Click("#filters button")
	c.Shows("#message", "Please check your entries: ")

	// Other calls, and those of other sites, do not reach the marketplace.
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, address+"/api/v1/resellers/bookings", strings.NewReader("{}"))
	check(t, err)
	request.Header = http.Header{"Origin": {"https://evil.example"}, "Sec-Fetch-Site": {"cross-site"}, "Content-Type": {"application/json"}}
	foreign, err := http.DefaultClient.Do(request)
	check(t, err)
	check(t, foreign.Body.Close())
	if policy := foreign.Header.Get("Content-Security-Policy"); foreign.StatusCode != http.StatusForbidden || !strings.HasPrefix(policy, "default-src 'none'; script-src 'self'; style-src 'self'") {
		t.Errorf("want the call of another site refused, with the policy, got %s and %q", foreign.Status, policy)
	}
	status := func(method, path string) string {
		return browsertest.Value[string](c.Tab, fmt.Sprintf(`fetch(%q, {method: %q}).then(answer => answer.status + "")`, path, method))
	}
	for path, want := range map[string]string{
		"GET /api/v1/resellers/bookings": "404", "POST /api/v1/resellers/bookings/0197c6f2-8d5e-7b3a-9c41-52e0f6a1d7b8/payment": "405", "GET /api/v1/resellers/events": "404",
		"GET /api/v1/operator/accounts": "404", "GET /api/v1/resellers/activities/..%2Fbookings": "404", "POST /pay/..%2F..": "404", "GET /metrics": "404",
	} {
		method, path, _ := strings.Cut(path, " ")
		if got := status(method, path); got != want {
			t.Errorf("%s %s: want %s, got %s", method, path, want, got)
		}
	}
}
