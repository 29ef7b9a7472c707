package replica_test

import (
	"context"
	"fmt"
	"log/slog"
	"reflect"
	"strings"
	"testing"

	"partnerkit.dev/marketplace/internal/api"
	"partnerkit.dev/marketplace/internal/auth"
	"partnerkit.dev/marketplace/internal/booking"
	"partnerkit.dev/marketplace/internal/conformance"
	"partnerkit.dev/marketplace/internal/console"
	"partnerkit.dev/marketplace/internal/partner"
	"partnerkit.dev/marketplace/internal/postgres"
	"partnerkit.dev/marketplace/internal/replica"
	"partnerkit.dev/marketplace/internal/storefront"
	"partnerkit.dev/marketplace/internal/telemetry"
	"partnerkit.dev/marketplace/internal/worker"
)

func TestAReplicaIsNotBuiltWithoutAPart(t *testing.T) {
	t.Parallel()
	complete := replica.Config{
		Requests: &postgres.Store{}, Work: &postgres.Store{}, Secret: &auth.Secret{}, Clock: &postgres.Clock{}, Log: slog.Default(), Metrics: &telemetry.Metrics{},
		Ready: func(context.Context) error { return nil },
	}
	needed := 0
	for field, value := range reflect.ValueOf(complete).Fields() {
		if kind := value.Kind(); kind != reflect.Pointer && kind != reflect.Func || value.IsNil() {
			continue
		}
		needed++
		c := complete
		reflect.ValueOf(&c).Elem().FieldByIndex(field.Index).SetZero()
		if _, err := replica.New(t.Context(), c); fmt.Sprint(err) != "replica: "+field.Name+" is missing" {
			t.Errorf("%s: want it named, got %v", field.Name, err)
		}
	}
	if needed != 7 {
		t.Errorf("want seven parts, got %d", needed)
	}
}

func TestNoPartIsBuiltWithoutItsOwnParts(t *testing.T) {
	t.Parallel()
	for name, build := range map[string]func() (any, error){
		"api":         func() (any, error) { return api.New(api.Config{}) },
		"bookings":    func() (any, error) { return booking.NewService(booking.Config{}) },
		"certificate": func() (any, error) { return conformance.NewRunner(conformance.Config{}) },
		"console":     func() (any, error) { return console.New(console.Config{}) },
		"judge":       func() (any, error) { return conformance.NewJudge(conformance.JudgeConfig{}) },
		"partners":    func() (any, error) { return partner.NewClient(partner.Config{}) },
		"storefront":  func() (any, error) { return storefront.Open(t.Context(), storefront.Config{}) },
		"worker":      func() (any, error) { return worker.New(worker.Config{}) },
	} {
		if _, err := build(); !strings.HasSuffix(fmt.Sprint(err), " is missing") {
			t.Errorf("%s: want the first missing part named, got %v", name, err)
		}
	}
}
