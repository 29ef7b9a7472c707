package console

import (
	"encoding/json"
	"testing"
	"time"

	"partnerkit.dev/marketplace/client"
)

func TestAnIntegrationHasOneStageWhateverItsSettingsAre(t *testing.T) {
	t.Parallel()
	synced := func(change func(*client.Integration)) client.Integration {
		i := client.Integration{Mode: "live", LastSyncAt: time.Unix(1, 0)}
		i.Slots.Options = 1
		change(&i)
		return i
	}
	for name, test := range map[string]struct {
		of   client.Integration
		want string
	}{
		"a test integration":     {synced(func(i *client.Integration) { i.Mode = "test" }), stageTest},
		"never imported":         {synced(func(i *client.Integration) { i.LastSyncAt = time.Time{} }), stageTest},
		"nothing to sell":        {synced(func(i *client.Integration) { i.Slots.Options = 0 }), stageTest},
		"needs approval":         {synced(func(i *client.Integration) { i.Admission.ApprovalRequired = true }), stageTest},
		"asked for it":           {synced(func(i *client.Integration) { i.Admission.ApprovalRequired, i.Admission.GoLive = true, "requested" }), stageReview},
		"needs a certificate":    {synced(func(i *client.Integration) { _ = json.Unmarshal([]byte(`{"certification": {"withheld": true}}`), i) }), stageReview},
		"approved":               {synced(func(i *client.Integration) { i.Admission.GoLive = "approved" }), stageLive},
		"nothing more is needed": {synced(func(*client.Integration) {}), stageLive},
	} {
		if got := stageOf(test.of); got.Name != test.want || got.Says == "" {
			t.Errorf("%s: want %s, got %+v", name, test.want, got)
		}
	}
}
