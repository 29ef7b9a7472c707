package examples_test

import (
	"context"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"partnerkit.dev/internal/browsertest"
	"partnerkit.dev/internal/tooltest"
	"partnerkit.dev/marketplace/client"
)

// newcomer is a partner's engineer who follows the portal's pages in a browser.
type newcomer struct {
	*browsertest.Tab
	t       *testing.T
	steps   int
	started time.Time
}

// click clicks, as one step.
func (n *newcomer) click(selector string) {
	n.t.Helper()
	n.steps++
	n.Click(selector)
}

// write fills a field, as one step.
func (n *newcomer) write(selector, text string) {
	n.t.Helper()
	n.steps++
	n.Write(selector, text)
}

// waitForRun waits longer than a page's elements take, for a run of the suite.
func (n *newcomer) waitForRun(what, expression string) {
	n.t.Helper()
	deadline := time.After(patience)
	for !browsertest.Value[bool](n.Tab, expression) {
		select {
		case <-deadline:
			n.t.Fatalf("Expected %s", what)
		case <-time.After(500 * time.Millisecond):
		}
	}
	n.t.Logf("%s: after %s and %d steps", what, time.Since(n.started).Round(time.Second), n.steps)
}

// TestANewPartnerGetsCertifiedInThePortal follows a new partner from the invitation to the certificate
// and the approval to go live. Its platform is the minimal partner in Python, with a mistake that it
// fixes when the suite has found it.
func TestANewPartnerGetsCertifiedInThePortal(t *testing.T) {
	t.Parallel()
	takesMinutes(t)
	tooltest.Require(t, tooltest.PythonAiohttp)
	browser := browsertest.Start(t)
	m := open(t, "--certification", "require", "--go-live", "approve", "--conformance-command", filepath.Join(commands(t), "conformance"))
	folder := t.TempDir()
	check(t, os.CopyFS(folder, source{os.DirFS("minimal-partner-python")}))
	file := filepath.Join(folder, "booking.py")
	right, err := os.ReadFile(file)
	check(t, err)
	// The mistake: availability answers the capacity, and does not count holds and bookings.
	wrong := strings.Replace(string(right), "slot.show(slot.capacity - taken[slot.id])", "slot.show(slot.capacity)", 1)
	if wrong == string(right) {
		t.Fatal("Expected the minimal partner to count seats where the mistake is planted")
	}
	check(t, os.WriteFile(file, []byte(wrong), 0o600))
	free, err := net.Listen("tcp", "127.0.0.1:0")
	check(t, err)
	port := free.Addr().(*net.TCPAddr).Port
	check(t, free.Close())
	const key = "a-key-of-this-test"
	address, stop := serveAt(t, port, folder, key, tooltest.Python, "main.py")

	ops := browsertest.Open(t, browser, m.url)
	ops.GoTo("/console/accounts")
	ops.Write("#f-email", operatorEmail)
	ops.Write("#f-password", operatorPassword)
	ops.Click("form button.main")
	ops.Write("#f-invited-email", "boats@example.com")
	ops.Write("#f-invited-name", "Boats")
	ops.Click(`form[action="/console/invitations"] button`)
	ops.Shows(".note .secret", "/partners/invitation/")
	link := browsertest.Value[string](ops, `document.querySelector("#secret").textContent`)

	n := &newcomer{browsertest.Open(t, browser, m.url), t, 0, time.Now()}
	n.GoTo(strings.TrimPrefix(link, m.url))
	n.Screenshot("1-invited")
	n.write("#f-password", "amber kettle skates")
	n.click("form button.main")
	n.Shows(".empty", "No platform yet")
	n.Screenshot("2-empty")
	n.write("#f-name", "Boats")
	n.steps++
	n.Is(`document.querySelector("#f-mode").value = "live"`, "live")
	n.write("#f-base_url", address)
	n.write("#f-auth_key", key)
	n.click("#f-handles_ticket_delivery")
	n.click("form.form button.main")
	n.Shows(".note .secret", "")
	secret := browsertest.Value[string](n.Tab, `document.querySelector("#secret").textContent`)
	n.Screenshot("3-registered")
	n.click(`form[action$="/test#steps-title"] button`)
	n.Shows("#steps-title ~ .note", "works with these settings")
	n.click("#received-title ~ details summary")
	n.write("#f-secret", secret)
	n.click(`form[action$="/webhook#received-title"] button`)
	n.Shows("#tried", "was answered with 200")
	n.Screenshot("4-webhook")
	n.click(`button[value="full"]`)
	n.Shows("#progress-title", "The run is")
	n.waitForRun("the run shows rules", `Number(document.querySelector("#judged")?.textContent) > 20 || !!document.querySelector("#result-title")`)
	n.Screenshot("5-running")
	n.waitForRun("the mistake is found", `/rules? failed/.test(document.querySelector("#result-title")?.textContent)`)
	n.Shows("#findings-title ~ ul li:first-child", "vacancies")
	n.Screenshot("6-findings")

	stop()
	check(t, os.WriteFile(file, right, 0o600))
	_, _ = serveAt(t, port, folder, key, tooltest.Python, "main.py")
	n.click(`#again-title ~ form button.main`)
	n.waitForRun("the mistake is fixed", `/No rule/.test(document.querySelector("#result-title")?.textContent)`)
	n.Screenshot("7-fixed")
	n.click(`#again-title ~ form button[value="full"]`)
	n.waitForRun("the platform is conformant", `document.querySelector("h1 .pill")?.textContent === "conformant"`)
	n.click(".crumbs a:last-child")
	n.Shows("#runs-title", "Conformance")
	n.See(`[...document.querySelectorAll("#news-title ~ ul li")].some(e => e.textContent.includes("A certificate was issued"))`)
	n.Screenshot("8-certified")
	n.waitForRun("every step but the approval is done", `!!document.querySelector('form[action$="/go-live"] button.main') || (location.reload(), false)`)
	n.click(`form[action$="/go-live"] button`)
	n.Shows(".note", "The marketplace was asked")
	waitForActivities(t, m, 0)

	ops.GoTo("/console/partners?go_live=requested")
	ops.Shows("#tiles-title", "1 ask to go live")
	ops.Click("tbody th a")
	ops.Click(`button[value="approve"]`)
	ops.Shows(".note", "Approved")
	waitForActivities(t, m, 2)
	n.GoTo("/partners/integrations")
	n.click("tbody th a")
	n.Shows(".stage [aria-current]", "Live")
	n.Screenshot("9-live")
	t.Logf("From the invitation to the approval: %d steps, %s", n.steps, time.Since(n.started).Round(time.Second))
}

// waitForActivities waits until resellers see that many activities, or more.
func waitForActivities(t *testing.T, m *market, least int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	for {
		page, err := m.shop.Activities(client.ActivityQuery{}).Page(ctx, 1, 10)
		check(t, err)
		if n := len(page.Entries); n >= least && (least > 0 || n == 0) {
			return
		}
		select {
		case <-ctx.Done():
			t.Fatalf("Expected %d activities listed", least)
		case <-time.After(100 * time.Millisecond):
		}
	}
}
