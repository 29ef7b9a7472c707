package main

import (
	"io"
	"log/slog"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"partnerkit.dev/marketplace/internal/telemetry"
)

type logged struct {
	format, level string
	least         slog.Level // as checking level has read it
}

func (l *logged) register(command *cobra.Command) {
	f := command.Flags()
	f.StringVar(&l.format, "log-format", "json", "json or text")
	f.StringVar(&l.level, "log-level", "info", "debug, info, warn or error: what is less is not logged. A request is info, one that failed or took long warn")
}

func (l *logged) mistakes() []error {
	levels := []slog.Level{slog.LevelDebug, slog.LevelInfo, slog.LevelWarn, slog.LevelError}
	found := slices.IndexFunc(levels, func(level slog.Level) bool { return strings.EqualFold(level.String(), l.level) })
	l.least = levels[max(found, 0)]
	return []error{
		unless(l.format == "json" || l.format == "text", "--log-format: want json or text, got %q", l.format),
		unless(found >= 0, "--log-level: want debug, info, warn or error, got %q", l.level),
	}
}

// open returns the log and what writes its last lines.
func (l *logged) open(to io.Writer) (log *slog.Logger, flush func() error) {
	options, lines := &slog.HandlerOptions{Level: l.least}, telemetry.NewLogBuffer(to)
	if l.format == "text" {
		return slog.New(lines.Handler(slog.NewTextHandler(lines, options))), lines.Flush
	}
	return slog.New(lines.Handler(slog.NewJSONHandler(lines, options))), lines.Flush
}
