package judge

import (
	"context"

	"partnerkit.dev/conformance/internal/plan"
	"partnerkit.dev/conformance/internal/scenario"
)

// Plays returns what a step plays, in order; usually one scenario.
type Plays[T any] func(context.Context, *scenario.Player) []Play[T]

// Play plays an attempt of a scenario and returns what it shows; false if there is no time for it.
type Play[T any] func(ctx context.Context, p *scenario.Player, attempt int) (T, bool)

// scenarioFunc plays an attempt of a scenario.
type scenarioFunc[T any] func(ctx context.Context, p *scenario.Player, attempt int) T

// always returns the play of a scenario that there is always time for.
func always[T any](play scenarioFunc[T]) Play[T] {
	return func(ctx context.Context, p *scenario.Player, attempt int) (T, bool) {
		return play(ctx, p, attempt), true
	}
}

// single returns the plays of one scenario.
func single[T any](play scenarioFunc[T]) Plays[T] {
	return func(context.Context, *scenario.Player) []Play[T] { return []Play[T]{always(play)} }
}

// perNumber returns the plays of a scenario for options, by number.
func perNumber[T any](count func(context.Context, *scenario.Player) int, play scenarioFunc[T]) Plays[T] {
	return func(ctx context.Context, p *scenario.Player) (all []Play[T]) {
		for number := range count(ctx, p) {
			all = append(all, func(ctx context.Context, p *scenario.Player, _ int) (T, bool) { return play(ctx, p, number), true })
		}
		return all
	}
}

// perOption returns the plays of a scenario for options, by their keys. play returns nil if there is no time for it.
func perOption[T any](keys func(context.Context, *scenario.Player) []string, play func(context.Context, *scenario.Player, string, int) *T) Plays[*T] {
	return func(ctx context.Context, p *scenario.Player) (all []Play[*T]) {
		for _, key := range keys(ctx, p) {
			all = append(all, func(ctx context.Context, p *scenario.Player, attempt int) (*T, bool) {
				played := play(ctx, p, key, attempt)
				return played, played != nil
			})
		}
		return all
	}
}

// join returns the plays of all parts, one part after another.
func join[T any](parts ...Plays[T]) Plays[T] {
	return func(ctx context.Context, p *scenario.Player) (all []Play[T]) {
		for _, part := range parts {
			all = append(all, part(ctx, p)...)
		}
		return all
	}
}

// alternate returns the plays of two parts of the same length, one of each in turn.
func alternate[T any](first, second Plays[T]) Plays[T] {
	return func(ctx context.Context, p *scenario.Player) (all []Play[T]) {
		seconds := second(ctx, p)
		for i, play := range first(ctx, p) {
			all = append(all, play, seconds[i])
		}
		return all
	}
}

// showing returns a play that returns what show makes of the scenario.
func showing[T, R any](play Play[T], show func(T) R) Play[R] {
	return func(ctx context.Context, p *scenario.Player, attempt int) (shown R, played bool) {
		value, played := play(ctx, p, attempt)
		if played {
			shown = show(value)
		}
		return shown, played
	}
}

// eachShowing returns plays that return what show makes of each scenario.
func eachShowing[T, R any](of Plays[T], show func(T) R) Plays[R] {
	return func(ctx context.Context, p *scenario.Player) (all []Play[R]) {
		for _, play := range of(ctx, p) {
			all = append(all, showing(play, show))
		}
		return all
	}
}

// Seen is what a scenario was played on.
type Seen struct {
	On        *plan.Case      // the case that it was equal to; nil if it cannot be simplified
	Instances []plan.Instance // what it was an instance of, for the coverage
}

// seenIn returns what a scenario says about itself. Not every scenario does.
func seenIn(value any) (seen Seen) {
	if lifecycle, is := value.(interface{ SimilarCase() *plan.Case }); is {
		seen.On = lifecycle.SimilarCase()
	}
	if exercised, is := value.(interface{ Instances() []plan.Instance }); is {
		seen.Instances = exercised.Instances()
	}
	return seen
}
