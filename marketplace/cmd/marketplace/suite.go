package main

import (
	"log/slog"

	"partnerkit.dev/marketplace/internal/certification"
)

// checkSuite returns why the given conformance command cannot be run.
func checkSuite(given string) error {
	if given == "" {
		return nil
	}
	_, err := certification.FindCommand(given)
	return err
}

// findSuite returns the path of the conformance command, or "" if it is missing; the service then
// works without it.
func findSuite(given string, log *slog.Logger) string {
	path, err := certification.FindCommand(given)
	if err != nil {
		log.Warn(err.Error())
	}
	return path
}
