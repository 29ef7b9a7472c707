package parts_test

import (
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"partnerkit.dev/marketplace/internal/parts"
)

type config struct {
	Now    func() time.Time
	Stores struct{ Out io.Writer }
	Names  []string
	Until  time.Time       // contains a pointer of its own
	Tracer *strings.Reader `part:"optional"`
}

func TestAMissingPartIsNamed(t *testing.T) {
	t.Parallel()
	complete := config{Now: time.Now}
	complete.Stores.Out = io.Discard
	noClock, noStore, typedNil := complete, complete, complete
	noClock.Now, noStore.Stores.Out, typedNil.Stores.Out = nil, nil, (*strings.Builder)(nil)
	for _, c := range []struct {
		config config
		want   string
	}{
		{complete, "<nil>"},
		{noClock, "shop: Now is missing"},
		{noStore, "shop: Stores.Out is missing"},
		{typedNil, "shop: Stores.Out is missing"},
	} {
		if got := fmt.Sprint(parts.Check("shop", c.config)); got != c.want {
			t.Errorf("want %s, got %s", c.want, got)
		}
	}
}
