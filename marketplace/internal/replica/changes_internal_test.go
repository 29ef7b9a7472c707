package replica

import (
	"bytes"
	"errors"
	"log/slog"
	"strings"
	"testing"

	"partnerkit.dev/marketplace/internal/catalog"
	"partnerkit.dev/marketplace/internal/telemetry"
)

func TestAHeldSyncIsLoggedWhenItIsHeldAndWhenItIsOver(t *testing.T) {
	t.Parallel()
	for want, made := range map[string]catalog.Sync{
		`level=WARN msg="a sync is held because it would remove too many activities"`: {Guard: &catalog.Guard{WouldDeactivate: 7, Of: 9}},
		`level=INFO msg="a held sync was approved or replaced"`:                       {EndsGuard: true, Deactivated: 7},
		"": {Deactivated: 1},
	} {
		var lines bytes.Buffer
		reported := synced(telemetry.NewMetrics("test"), slog.New(slog.NewTextHandler(&lines, nil)))
		reported(catalog.Order{}, made, nil)
		if !strings.Contains(lines.String(), want) || want == "" && lines.Len() > 0 {
			t.Errorf("Expected %q, received %q", want, lines.String())
		}
		lines.Reset()
		if reported(catalog.Order{}, made, errors.New("no answer")); lines.Len() > 0 {
			t.Errorf("Expected no line about a sync that failed, received %q", lines.String())
		}
	}
}
