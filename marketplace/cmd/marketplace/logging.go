package main

import (
	"fmt"
	"io"
	"log/slog"
	"net/netip"
	"strings"

	"github.com/spf13/cobra"

	"partnerkit.dev/marketplace/internal/telemetry"
)

// logged says how the log is written.
type logged struct{ format, level string }

func (l *logged) register(command *cobra.Command) {
	f := command.Flags()
	f.StringVar(&l.format, "log-format", "json", "json or text")
	f.StringVar(&l.level, "log-level", "info", "debug, info, warn or error: what is less is not logged. A request is info, one that failed or took long warn")
}

func (l *logged) mistakes() (wrong []error) {
	if l.format != "json" && l.format != "text" {
		wrong = append(wrong, fmt.Errorf("--log-format: want json or text, got %q", l.format))
	}
	if _, err := l.threshold(); err != nil {
		wrong = append(wrong, fmt.Errorf("--log-level: want debug, info, warn or error, got %q", l.level))
	}
	return wrong
}

func (l *logged) threshold() (slog.Level, error) {
	for _, level := range []slog.Level{slog.LevelDebug, slog.LevelInfo, slog.LevelWarn, slog.LevelError} {
		if strings.EqualFold(level.String(), l.level) {
			return level, nil
		}
	}
	return 0, fmt.Errorf("there is no level %q", l.level)
}

// open returns the log, whose settings have no mistake, and what writes its last lines.
func (l *logged) open(to io.Writer) (log *slog.Logger, flush func() error) {
	level, _ := l.threshold()
	options, lines := &slog.HandlerOptions{Level: level}, telemetry.NewLogBuffer(to)
	if l.format == "text" {
		return slog.New(lines.Handler(slog.NewTextHandler(lines, options))), lines.Flush
	}
	return slog.New(lines.Handler(slog.NewJSONHandler(lines, options))), lines.Flush
}

// networks reads --metrics-from.
func networks(given []string) (list []netip.Prefix, err error) {
	for _, text := range given {
		network, err := netip.ParsePrefix(strings.TrimSpace(text))
		if err != nil {
			return nil, fmt.Errorf("--metrics-from: want networks such as 10.0.0.0/8, got %q", text)
		}
		list = append(list, network.Masked())
	}
	return list, nil
}
