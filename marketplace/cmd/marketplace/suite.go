package main

import (
	"log/slog"

	"partnerkit.dev/marketplace/internal/conformance"
	"partnerkit.dev/marketplace/internal/partner"
	"partnerkit.dev/marketplace/internal/postgres"
	"partnerkit.dev/marketplace/internal/telemetry"
)

// findSuite returns the path of the conformance command, or "" if it is missing; the service then
// works without it.
func findSuite(given string, log *slog.Logger) string {
	path, err := conformance.FindCommand(given)
	if err != nil {
		log.Warn(err.Error())
	}
	return path
}

// startJudge starts the judge of calls to partners. It returns nil, and a function that does nothing,
// if they are not judged.
func startJudge(mode, command string, store *postgres.Store, measured *telemetry.Metrics, clock *postgres.Clock, log *slog.Logger) (partner.Watcher, func(), error) {
	switch {
	case mode == judgeNone:
		return nil, func() {}, nil
	case command == "":
		log.Info("calls to partners are not judged, because there is no conformance command")
		return nil, func() {}, nil
	}
	j, err := conformance.NewJudge(conformance.JudgeConfig{Store: store.Partners, Command: command, Sample: mode == judgeSample, Now: clock.Now, Log: log})
	if err != nil {
		return nil, nil, err
	}
	measured.Judge(j.Counts)
	log.Info("calls to partners are judged", slog.String("calls", mode), slog.String("command", command))
	return j, j.Close, nil
}
