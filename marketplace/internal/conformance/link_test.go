package conformance_test

import (
	"strings"
	"testing"
	"time"

	"partnerkit.dev/marketplace/internal/auth"
	"partnerkit.dev/marketplace/internal/conformance"
	"partnerkit.dev/marketplace/internal/domain"
)

func linksOf(t *testing.T, secret string, now func() time.Time) *conformance.Links {
	t.Helper()
	made, err := auth.NewSecret([]byte(strings.Repeat(secret, auth.ShortestSecret)))
	must(t, err)
	return conformance.NewLinks(made, now)
}

func TestALinkThatWasChangedOrIsForAnotherReportOpensNothing(t *testing.T) {
	t.Parallel()
	now := func() time.Time { return time.Date(2026, 7, 1, 9, 0, 0, 0, time.UTC) }
	links := linksOf(t, "a", now)
	_, token, err := links.New("report.html", time.Hour)
	must(t, err)
	_, foreign, err := linksOf(t, "b", now).New("report.html", -time.Hour)
	must(t, err)
	wrong := []string{"", "x", token + "A", token[1:], foreign}
	const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_" // four characters differ only in the last one's unused bits
	for i := range token {
		for _, other := range alphabet {
			if changed := token[:i] + string(other) + token[i+1:]; changed != token {
				wrong = append(wrong, changed)
			}
		}
	}
	if _, err := links.Share(token, "report.json"); domain.CodeOf(err) != domain.NotFound {
		t.Errorf("Expected no other report, received %v", err)
	}
	for _, text := range wrong {
		if _, err := links.Share(text, "report.html"); domain.CodeOf(err) != domain.NotFound {
			t.Errorf("%q: Expected it to be not found, received %v", text, err)
		}
	}
}
