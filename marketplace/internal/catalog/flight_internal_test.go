package catalog

import (
	"context"
	"strings"
	"testing"
)

func falls(context.Context) (Sync, error) { panic("an unforeseen kind of slot") }

func TestASyncThatPanicsIsAnErrorThatSaysWhere(t *testing.T) {
	t.Parallel()
	var all flights
	_, err := all.do(t.Context(), "one", falls)
	if err == nil || !strings.Contains(err.Error(), "unforeseen kind") || !strings.Contains(err.Error(), "catalog.falls") {
		t.Errorf("want the panic, and where it was, got %v", err)
	}
	if made, err := all.do(t.Context(), "one", func(context.Context) (Sync, error) { return Sync{Synced: 1}, nil }); err != nil || made.Synced != 1 {
		t.Errorf("want the next one made, got %+v, %v", made, err)
	}
}
