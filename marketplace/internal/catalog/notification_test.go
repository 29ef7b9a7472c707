package catalog_test

import (
	"encoding/json"
	"os"
	"testing"
	"time"

	"partnerkit.dev/internal/errtest"
	"partnerkit.dev/internal/sourcetest"
	"partnerkit.dev/marketplace/internal/catalog"
)

// The conformance suite takes the same notifications: see its package inbox.
func TestTheMarketplaceTakesTheNotificationsThatTheContractAllows(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(sourcetest.Path("schemas/testdata/notifications.json"))
	errtest.Check(t, err)
	var all []struct {
		Name   string
		Status int
		Body   json.RawMessage
	}
	if err := json.Unmarshal(text, &all); err != nil || len(all) == 0 {
		t.Fatalf("want notifications, got %d, %v", len(all), err)
	}
	for _, one := range all {
		if _, err := catalog.ReadNotification(one.Body, time.Now()); (err == nil) != (one.Status == 200) {
			t.Errorf("%s: want status %d, got error %v", one.Name, one.Status, err)
		}
	}
}
