package replica

import (
	"log/slog"

	"github.com/google/uuid"

	"partnerkit.dev/marketplace/internal/catalog"
	"partnerkit.dev/marketplace/internal/partner"
	"partnerkit.dev/marketplace/internal/telemetry"
	"partnerkit.dev/schemas/partnerapi"
)

// logHealth logs a partner's new state. Only the replica whose call changed it does, so that each
// change is logged once.
func logHealth(log *slog.Logger, integration uuid.UUID, changed partnerapi.Health, call partner.Observation) {
	about := []any{
		slog.String("integration_id", integration.String()), slog.String("mode", string(call.Mode)), slog.String("state", string(changed)),
		slog.String("endpoint", string(call.Endpoint)), slog.String("reason", call.String()),
	}
	switch changed {
	case partnerapi.Degraded:
		log.Warn("a partner is DEGRADED", about...)
	case partnerapi.Healthy:
		log.Info("a partner is HEALTHY again", about...)
	}
}

// synced counts syncs. It logs when a sync is held and when a held sync ends.
func synced(measured *telemetry.Metrics, log *slog.Logger) func(catalog.Order, catalog.Sync, error) {
	return func(o catalog.Order, made catalog.Sync, err error) {
		measured.CountSync(o, made, err)
		about := log.With(slog.String("integration_id", o.Target.ID.String()), slog.String("sync_id", made.ID.String()))
		switch {
		case err != nil:
		case made.Guard != nil:
			about.Warn("a sync is held because it would remove too many activities", slog.Int("would_deactivate", made.Guard.WouldDeactivate), slog.Int("of", made.Guard.Of))
		case made.EndsGuard:
			about.Info("a held sync was approved or replaced", slog.Bool("approved", o.Approved), slog.Int("deactivated", made.Deactivated))
		}
	}
}
