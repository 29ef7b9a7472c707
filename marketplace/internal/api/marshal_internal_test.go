package api

import (
	"bytes"
	"testing"
	"time"

	"partnerkit.dev/marketplace/client"
	"partnerkit.dev/marketplace/internal/storefront"
)

func TestAnAnswerHasNullWhereTheClientsTypeIsZero(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 7, 10, 9, 0, 0, 0, time.UTC)
	never := time.Time{}.In(time.FixedZone("", 3600))
	for want, answer := range map[string]any{
		`{"success":1,"data":null}`: nil,
		`{"success":1,"data":{"token_id":"t","name":"\u003ca\u003e","mode":null,"created_at":"2026-07-10T09:00:00Z","revoked_at":null}}`:                   client.Token{ID: "t", Name: "<a>", CreatedAt: at, RevokedAt: never},
		`{"success":1,"data":{"_id":"a","email":"","name":"","role":"","created_at":"2026-07-10T09:00:00Z","disabled":false,"api_tokens":[]}}`:             client.AccountDetail{Account: client.Account{ID: "a", CreatedAt: at}, APITokens: []client.Token{}},
		`{"success":1,"data":[{"at":"2026-07-10T09:00:00Z","status":null,"error":null},{"at":"2026-07-10T09:00:00Z","status":410,"error":"gone"}]}`:        []client.DeliveryAttempt{{At: at}, {At: at, Status: 410, Error: "gone"}},
		`{"success":1,"data":{"at":"2026-07-10T09:00:00Z","kind":"call","endpoint":"confirm"}}`:                                                            client.HistoryEntry{At: at, Kind: client.CallKind, Endpoint: "confirm"},
		`{"success":1,"data":{"booking_id":"b","status":"accrued","currency":"EUR","amount":1.50,"accrued_at":"2026-07-10T09:00:00Z","reversed_at":null}}`: client.Commission{BookingID: "b", Status: client.Accrued, Currency: "EUR", Amount: "1.50", AccruedAt: at},
	} {
		if got, err := marshal(storefront.Success{Success: 1, Data: answer}); err != nil || string(got) != want {
			t.Errorf("want %s, got %s, %v", want, got, err)
		}
	}
	for want, zone := range map[string]*time.Location{`"start":"2026-07-10T09:00:00+00:00"`: time.UTC, `"start":"2026-07-10T10:00:00+01:00"`: time.FixedZone("", 3600)} {
		got, err := marshal(client.PartnerBooking{Start: at.In(zone)})
		if err != nil || !bytes.Contains(got, []byte(want)) {
			t.Errorf("want %s, got %s, %v", want, got, err)
		}
	}
}
