package schemas_test

import (
	"strconv"
	"strings"
)

// The kinds of fields that stand in several tables.

func (f fields) text() fields { return f.lawful(`"x"`).not("type", `7`, `true`, `["x"]`, `{}`) }
func (f fields) anyText() fields {
	return f.lawful(`""`, `"naïve \"quoted\" / %2F \u0000"`).text()
}
func (f fields) id() fields { return f.lawful(`"a/b+c %2F .."`).text().not("minLength", `""`) }
func (f fields) uuid() fields {
	return f.lawful(`"0197c6f2-8d5e-7b3a-9c41-52e0f6a1d7b8"`).not("type", `7`).not("format", `""`, `"a-1"`, `"0197c6f28d5e7b3a9c4152e0f6a1d7b8"`)
}
func (f fields) flag() fields { return f.lawful(`true`, `false`).not("type", `"true"`, `1`, `[]`) }
func (f fields) integer() fields {
	return f.lawful(`10.0`, `1e1`).not("type", `22.5`, `"22"`, `true`, `[22]`)
}

// upTo is a text of at most so many characters.
func (f fields) upTo(most int) fields {
	return f.lawful(strconv.Quote(strings.Repeat("x", most))).not("maxLength", strconv.Quote(strings.Repeat("x", most+1)))
}

func (f fields) amount() fields {
	return f.integer().lawful(`0`, `-0`, `2250`, `2500.0`, `1000000000000`).
		not("maximum", `1000000000001`, `9223372036854775808`, `1e30`).not("minimum", `-1`, `-9223372036854775809`)
}

func (f fields) seats() fields {
	return f.integer().lawful(`0`, `15`).not("minimum", `-1`).not("maximum", `9223372036854775808`)
}

func (f fields) precision() fields {
	return f.integer().lawful(`0`, `3`).not("minimum", `-1`).not("maximum", `19`)
}

func (f fields) currency() fields {
	return f.lawful(`"EUR"`, `"JPY"`, `"ZWG"`).not("type", `978`, `{}`).not("format", `"eur"`, `"EURO"`, `"€"`, `""`, `"XQQ"`)
}

func (f fields) dateTime() fields {
	return f.lawful(`"2026-07-01T09:00:00+02:00"`, `"2026-07-01T09:00:00Z"`, `"2026-07-01T09:00:00.123456-11:30"`, `"2026-07-01t09:00:00z"`, `"2026-07-01T09:00+02:00"`, `"2026-07-01T09:00Z"`).
		not("type", `1782896400`, `{}`).
		not("format", `""`, `"2026-07-01"`, `"2026-07-01T09:00:00"`, `"2026-07-01 09:00:00Z"`, `"2026-07-01T09:00"`, `"2026-07-01T09Z"`, `"2026-07-01T09:00.5Z"`,
			`"2026-07-01T9:00:00Z"`, `"2026-07-01T09:00:00,5Z"`, `"2026-07-01T09:00:00+0200"`, `"2026-02-30T09:00:00Z"`,
			`"2026-07-01T24:00:00Z"`, `"2026-07-01T09:00:00+24:00"`, `"1782896400"`)
}

func (f fields) date() fields {
	return f.lawful(`"2026-07-01"`, `"2028-02-29"`).not("type", `20260701`, `null`).
		not("format", `""`, `"2026-7-1"`, `"01.07.2026"`, `"2026-02-30"`, `"2026-07-01T00:00:00Z"`)
}

func (f fields) oneOf(first string, others ...string) fields {
	f = f.lawful(strconv.Quote(first)).not("type", `1`, `["`+first+`"]`).
		not("enum", `""`, `"OTHER"`, strconv.Quote(strings.ToLower(first)+" "))
	for _, other := range others {
		f = f.lawful(strconv.Quote(other))
	}
	return f
}

// list is an array whose elements cannot be numbers.
func (f fields) list() fields {
	return f.not("type", `{}`, `"x"`, `7`).notBelow("/0", "type", `[7]`).notBelow("/0", "type", `[null]`)
}

func (f fields) object() fields { return f.not("type", `7`, `"x"`, `[]`, `true`) }

func (f fields) success() fields {
	return f.lawful(`1`).not("type", `true`, `"1"`).not("const", `0`, `2`)
}
