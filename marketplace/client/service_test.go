package client_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"partnerkit.dev/internal/buildtest"
	"partnerkit.dev/internal/tooltest"
	"partnerkit.dev/marketplace/client"
	"partnerkit.dev/marketplace/internal/pgembed"
	"partnerkit.dev/mockpartner"
	control "partnerkit.dev/mockpartner/client"
)

// The examples use a marketplace of their own, with a mock as its only partner.
var (
	address  string // of the marketplace
	token    client.Secret
	partner  *mockpartner.Mock
	platform *control.Client // controls the mock
	hooks    client.Registered
	sandbox  = control.Spec{Name: "night", AuthKey: "the key of the other platform"}
)

const (
	operatorEmail = "op@example.com"
	password      = "a password for the examples"
	partnerKey    = "the key of the mock partner"
)

// sells is the partner's catalog: one slot of ten seats a day.
const sells = `
catalog:
  products:
    - id: harbour
      internalName: Round the harbour
      locale: en-GB
      timeZone: Europe/Lisbon
      instantConfirmation: true
      updatedAt: "2026-01-12T08:30:00Z"
      options:
        - id: noon
          internalName: At noon
          availabilityType: START_TIME
          units:
            - id: unit-adult
              internalName: Adult
              type: ADULT
              pricingFrom: [{original: 2500, currency: EUR, currencyPrecision: 2}]
            - id: unit-child
              internalName: Child
              type: CHILD
              pricingFrom: [{original: 1250, currency: EUR, currencyPrecision: 2}]
      schedules:
        noon: {starts: ["12:00"], duration: 1h, capacity: {min: 10, max: 10}}
`

func TestMain(m *testing.M) { os.Exit(run(m)) }

// run runs the tests while the built command serves a marketplace.
func run(m *testing.M) int {
	dir, err := os.MkdirTemp("", "marketplace-client-") // PostgreSQL's own user can reach it
	if err != nil {
		return reportFailure(err)
	}
	defer os.RemoveAll(dir)
	if err := os.Chmod(dir, 0o711); err != nil {
		return reportFailure(err)
	}
	ctx := context.Background()
	database, err := pgembed.Start(ctx, pgembed.ForTests(filepath.Join(dir, "postgresql")))
	if errors.Is(err, pgembed.ErrNoBinaries) {
		return tooltest.SkipPackage(tooltest.PostgreSQL, err)
	}
	if err != nil {
		return reportFailure(err)
	}
	defer database.Stop(ctx)
	service, err := serve(dir, database.URL("postgres"))
	if err != nil {
		return reportFailure(err)
	}
	defer service.Wait() // other tests check how it ends
	defer service.Process.Signal(syscall.SIGTERM)
	scenario, err := mockpartner.ParseScenario("partner.yaml", []byte(sells))
	if err != nil {
		return reportFailure(err)
	}
	if partner, err = mockpartner.New(mockpartner.Options{AuthKey: partnerKey, Seed: 1, Scenario: scenario}); err != nil {
		return reportFailure(err)
	}
	server := httptest.NewServer(partner)
	defer server.Close()
	defer partner.Close()
	if platform, err = control.New(server.URL, control.Options{}); err != nil {
		return reportFailure(err)
	}
	if err := createFixtures(ctx, server.URL); err != nil {
		return reportFailure(err)
	}
	return m.Run()
}

func reportFailure(err error) int {
	fmt.Fprintln(os.Stderr, "a marketplace for the tests:", err)
	return 1
}

// serve builds the command and starts the service.
func serve(dir, database string) (*exec.Cmd, error) {
	if err := buildtest.Install(dir, "partnerkit.dev/marketplace/cmd/marketplace"); err != nil {
		return nil, err
	}
	service := exec.Command(filepath.Join(dir, "marketplace"), "serve", "--addr", "127.0.0.1:0", "--allow-private-partners", "--rate-limit", "0",
		"--nightly-at", time.Now().UTC().Add(12*time.Hour).Format("15:04"))
	service.Env = []string{
		"PATH=" + os.Getenv("PATH"), "TMPDIR=" + os.TempDir(), "HOME=" + dir, "MARKETPLACE_DATABASE_URL=" + database,
		"MARKETPLACE_SECRET_KEY=" + strings.Repeat("s", 32), "MARKETPLACE_OPERATOR_EMAIL=" + operatorEmail, "MARKETPLACE_OPERATOR_PASSWORD=" + password,
	}
	service.Stderr = os.Stderr
	out, err := service.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := service.Start(); err != nil {
		return nil, err
	}
	for lines := bufio.NewReader(out); ; {
		line, err := lines.ReadBytes('\n')
		var entry struct{ Msg, Address string }
		if json.Unmarshal(line, &entry) == nil && entry.Msg == "serving" {
			address = entry.Address
			go io.Copy(io.Discard, lines)
			return service, nil
		}
		if err != nil {
			return nil, errors.Join(err, service.Wait())
		}
	}
}

// createFixtures creates the accounts, registers the mock, and pulls its catalog and slots.
func createFixtures(ctx context.Context, platformURL string) error {
	operator, err := client.NewOperator(address, client.Password(operatorEmail, password), client.Options{})
	if err != nil {
		return err
	}
	for _, role := range []client.Role{client.ResellerRole, client.AffiliateRole, client.PartnerRole} {
		account, err := operator.CreateAccount(ctx, client.NewAccount{Email: string(role) + "@example.com", Password: password, Role: role})
		if err != nil {
			return err
		}
		if role == client.ResellerRole {
			made, err := operator.CreateAPIToken(ctx, account.ID, "examples", "")
			if err != nil {
				return err
			}
			token = made.Token
		}
	}
	if hooks, err = operator.Register(ctx, client.Registration{Name: "Harbour Boats", BaseURL: platformURL, AuthKey: partnerKey, HandlesTicketDelivery: true}); err != nil {
		return err
	}
	if _, err := operator.Sync(ctx, hooks.IntegrationID, client.Full); err != nil {
		return err
	}
	return slotsPulled(ctx, operator, hooks.IntegrationID)
}

// slotsPulled waits until all slots of an integration are stored.
func slotsPulled(ctx context.Context, operator *client.Operator, integration string) error {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Minute)
	defer cancel()
	for {
		found, err := operator.Integration(ctx, integration)
		if err != nil {
			return err
		}
		if found.Slots.Options > 0 && found.Slots.Pulled == found.Slots.Options {
			return nil
		}
		select {
		case <-time.After(20 * time.Millisecond):
		case <-ctx.Done():
			return fmt.Errorf("the slots are not pulled: %w", ctx.Err())
		}
	}
}
