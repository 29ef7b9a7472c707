// Package oddvalues has values that a partner may answer, and whether the contract allows them. The
// tests of the conformance suite and of the marketplace judge all of them, so that both judge by one
// law.
package oddvalues

import (
	"fmt"
	"strings"

	"partnerkit.dev/schemas/partnerapi"
)

// Value is an answer with one odd value.
type Value struct {
	Name     string
	Endpoint partnerapi.Endpoint // that is answered
	Answer   string
	Lawful   bool
}

// Product is an answer of GET /products without an odd value. The tests of slots ask for its option.
const Product = `[{"id":"p","internalName":"Walk","locale":"en","timeZone":"UTC","instantConfirmation":true,"options":[{"id":"o","internalName":"Daily","availabilityType":"START_TIME","units":[` +
	`{"id":"unit-adult","internalName":"Adult","type":"ADULT","pricingFrom":[{"original":2250,"currency":"EUR"}]},{"id":"s","internalName":"Student","type":"STUDENT","pricingFrom":[{"original":1,"currency":"EUR"}]}]}]}]`

const (
	slot    = `[{"id":"s-1","localDateTimeStart":"2026-07-02T09:00:00Z","localDateTimeEnd":"2026-07-02T11:00:00Z","status":"AVAILABLE"}]`
	priced  = `[{"id":"s-1","localDateTimeStart":"2026-07-02T09:00:00Z","localDateTimeEnd":"2026-07-02T11:00:00Z","status":"AVAILABLE","unitPricing":[{"unitId":"unit-adult","original":1,"currency":"EUR"}]}]`
	hold    = `{"reservationConfirmationCode":"H-1","expiresAt":"2026-07-01T12:20:00Z"}`
	booking = `{"externalBookingId":"B-1","status":"CONFIRMED","tickets":[{"redemptionMethod":"DIGITAL","deliveryOptions":[{"deliveryFormat":"QRCODE","deliveryMethod":"TICKET","deliveryValue":"x"}]}]}`
)

// field is a place in an answer: its text with the value that odd ones replace.
type field struct {
	name     string
	endpoint partnerapi.Endpoint
	answer   string
	value    string // with the name before it, such as "id":"p"
}

// judge returns the field with each value; all are JSON texts.
func (f field) judge(lawful bool, values ...string) (all []Value) {
	key, _, _ := strings.Cut(f.value, ":")
	if !strings.Contains(f.answer, f.value) {
		panic(f.name + ": " + f.value + " is not in the answer")
	}
	for _, value := range values {
		all = append(all, Value{fmt.Sprintf("%s: %.60s (%d bytes)", f.name, value, len(value)), f.endpoint, strings.Replace(f.answer, f.value, key+":"+value, 1), lawful})
	}
	return all
}

func quote(text string) string { return `"` + text + `"` }

// All returns every value.
func All() (all []Value) {
	add := func(f field, lawful bool, values ...string) { all = append(all, f.judge(lawful, values...)...) }
	repeat := strings.Repeat
	bad := []string{`"\u0000"`, `"a\u0000b"`, `"\ud800"`, `"a\udc00"`, `"\udc00\ud800"`, "7"} // in every text
	for _, f := range []field{
		{"product.id", partnerapi.Products, Product, `"id":"p"`}, {"option.id", partnerapi.Products, Product, `"id":"o"`}, {"student's id", partnerapi.Products, Product, `"id":"s"`},
		{"slot.id", partnerapi.Availability, slot, `"id":"s-1"`}, {"code", partnerapi.Reserve, hold, `"reservationConfirmationCode":"H-1"`},
		{"booking id", partnerapi.Confirm, booking, `"externalBookingId":"B-1"`},
	} {
		add(f, true, `"x"`, `".."`, `"a/b %2F?"`, `"\u007f"`, `"\ud83d\ude00"`, `"\\ud800"`, quote(repeat("x", 1000)), quote(repeat("ä", 500)), quote(repeat("😀", 250)))
		add(f, false, append(bad, `""`, "null", quote(repeat("x", 1001)), quote(repeat("ä", 500)+"x"), quote(repeat("😀", 250)+"x"))...)
	}
	for _, f := range []field{
		{"product.internalName", partnerapi.Products, Product, `"internalName":"Walk"`}, {"unit.internalName", partnerapi.Products, Product, `"internalName":"Adult"`},
		{"product.reference", partnerapi.Products, strings.Replace(Product, `"locale"`, `"reference":"r","locale"`, 1), `"reference":"r"`},
		{"option.cancellationCutoff", partnerapi.Products, strings.Replace(Product, `"availabilityType"`, `"cancellationCutoff":"c","availabilityType"`, 1), `"cancellationCutoff":"c"`},
		{"ticket.redemptionMethod", partnerapi.Confirm, booking, `"redemptionMethod":"DIGITAL"`}, {"booking.uuid", partnerapi.Confirm, strings.Replace(booking, `"status"`, `"uuid":"u","status"`, 1), `"uuid":"u"`},
	} {
		add(f, true, `""`, `"\n"`, quote(repeat("x", 10_000)), quote(repeat("ä", 5000)))
		add(f, false, append(bad, quote(repeat("x", 10_001)), quote(repeat("ä", 5000)+"x"))...)
	}

	seats := strings.Replace(slot, `"status":"AVAILABLE"`, `"status":"LIMITED","vacancies":1`, 1)
	add(field{"vacancies", partnerapi.Availability, seats, `"vacancies":1`}, true, "1e3", "2147483647", "2147483647.0", "2.147483647e9", "null")
	add(field{"no vacancies", partnerapi.Availability, strings.Replace(seats, "LIMITED", "SOLD_OUT", 1), `"vacancies":1`}, true, "0", "-0", "0.0", "0e7")
	capacity := field{"capacity", partnerapi.Availability, strings.Replace(slot, `"status":"AVAILABLE"`, `"status":"AVAILABLE","capacity":1`, 1), `"capacity":1`}
	add(capacity, true, "0", "-0", "1e3", "2147483647", "null")
	for _, f := range []field{{"vacancies", partnerapi.Availability, seats, `"vacancies":1`}, capacity} {
		add(f, false, "2147483648", "2147483648.0", "9223372036854775807", "9223372036854775808", "1e300", "-1", "1.5", `"5"`, "true", "[]")
	}
	for _, f := range []field{{"original", partnerapi.Products, Product, `"original":2250`}, {"slot's original", partnerapi.Availability, priced, `"original":1`}} {
		add(f, true, "0", "-0", "2500.0", "1e3", "1000000000000", "1e12")
		add(f, false, "1000000000001", "1e13", "-1", "22.5", `"2250"`, "null", "{}")
	}
	for _, f := range []field{{"currency", partnerapi.Products, Product, `"currency":"EUR"`}, {"slot's currency", partnerapi.Availability, priced, `"currency":"EUR"`}} {
		add(f, true, `"JPY"`, `"ZWG"`)
		add(f, false, `"eur"`, `"EURO"`, `"€"`, `""`, `"XQQ"`, "978", "null", `"EUR "`)
	}
	precision := field{"precision", partnerapi.Products, strings.Replace(Product, `"original":2250`, `"currencyPrecision":2,"original":2250`, 1), `"currencyPrecision":2`}
	add(precision, true, "0", "2.0", "18", "null")
	add(precision, false, "-1", "19", "1.5", `"2"`)

	for _, f := range []field{
		{"start", partnerapi.Availability, slot, `"localDateTimeStart":"2026-07-02T09:00:00Z"`}, {"expiresAt", partnerapi.Reserve, strings.ReplaceAll(hold, "2026-07-01T12:20:00Z", "2026-07-02T09:00:00Z"), `"expiresAt":"2026-07-02T09:00:00Z"`},
	} {
		add(f, true, `"2026-07-02T09:00:00+00:00"`, `"2026-07-02t09:00:00z"`, `"2026-07-02T09:00Z"`, `"2026-07-02T09:00:00-00:00"`, `"2026-07-02T09:00:00.123456789Z"`)
		add(f, false, `"2026-07-02T23:59:60Z"`, `"2026-07-02T24:00:00Z"`, `"2026-07-02 09:00:00Z"`, `"2026-07-02T09:00:00"`, `"2026-07-02T09:00:00+0100"`, `"2026-07-02T09:00:00+24:00"`, `"2026-07-02T09:00:00,5Z"`,
			`"2026-07-02T09:00:00Z\u0000"`, `"2026-7-2T09:00:00Z"`, `"2026-07-02"`, `"2026-02-30T09:00:00Z"`, `"1999-12-31T23:59:59Z"`, `"0000-01-01T00:00:00Z"`, `"2201-01-01T00:00:00Z"`, `"9999-12-31T23:59:59Z"`, `"10000-01-01T00:00:00Z"`, "1782896400", "null")
	}
	end := field{"end", partnerapi.Availability, slot, `"localDateTimeEnd":"2026-07-02T11:00:00Z"`}
	add(end, true, `"2200-12-31T23:59:59Z"`, `"2200-12-31T23:59:59-12:00"`)
	add(end, false, `"2201-01-01T00:00:00Z"`, `"2201-01-01T00:00:00+12:00"`, `"2026-07-02T09:00:00Z"`)

	zone := field{"timeZone", partnerapi.Products, Product, `"timeZone":"UTC"`}
	add(zone, true, `"Europe/Lisbon"`, `"America/Argentina/Buenos_Aires"`, `"Asia/Calcutta"`, `"EST5EDT"`, `"Etc/GMT+5"`, `"GMT"`, `"Zulu"`)
	add(zone, false, `"localtime"`, `"posix/Europe/Lisbon"`, `"right/Europe/Lisbon"`, `"posixrules"`, `"Factory"`, `"europe/lisbon"`, `"EUROPE/LISBON"`, `"utc"`, `""`, `"Local"`, `"UTC+1"`, `"+02:00"`,
		`"Europe/Atlantis"`, `"../UTC"`, `"/usr/share/zoneinfo/UTC"`, `"Europe/Lisbon "`, `"Europe/Lisbon\u0000"`, `"tzdata.zi"`, `"leapseconds"`, `"Mars/Olympus"`, "null", "1")
	locale := field{"locale", partnerapi.Products, Product, `"locale":"en"`}
	add(locale, true, `"pt-BR"`, `"zh-Hant-TW"`)
	add(locale, false, `"en_US"`, `""`, `"english language"`, `"e"`, "null", `"en\u0000"`)
	add(field{"instantConfirmation", partnerapi.Products, Product, `"instantConfirmation":true`}, true, "false")
	add(field{"instantConfirmation", partnerapi.Products, Product, `"instantConfirmation":true`}, false, `"true"`, "1", "null")
	add(field{"type", partnerapi.Products, Product, `"type":"STUDENT"`}, false, `"student"`, `"TEEN"`, `"ADULT"`, "null")
	add(field{"slot's status", partnerapi.Availability, slot, `"status":"AVAILABLE"`}, true, `"FREESALE"`, `"CLOSED"`)
	add(field{"slot's status", partnerapi.Availability, slot, `"status":"AVAILABLE"`}, false, `"available"`, `"OPEN"`, `""`, "null")

	pdf := field{"PDF", partnerapi.Confirm, strings.Replace(booking, "QRCODE", "PDF_URL", 1), `"deliveryValue":"x"`}
	add(pdf, true, `"https://t.example/1.pdf"`, `"http://t.example"`, `"HTTPS://t.example/?a=1"`, `"https://[::1]:8443/x"`)
	add(pdf, false, `"x"`, `""`, `"t.example/1.pdf"`, `"ftp://t.example/1"`, `"javascript:alert(1)"`, `"https://"`, `"https:///x"`, `"https://t.example/\u0000"`)
	code := field{"QR code", partnerapi.Confirm, booking, `"deliveryValue":"x"`}
	add(code, true, `" "`, quote(repeat("ä", 5000)))
	add(code, false, append(bad, `""`, quote(repeat("ä", 5000)+"x"))...)

	unknown := field{"unknown field", partnerapi.Products, strings.Replace(Product, `"locale"`, `"x":1,"locale"`, 1), `"x":1`}
	add(unknown, true, `"\u0000"`, `"\ud800"`, `{"a":[{"timeZone":7}]}`, "1e300", "-0.0", quote(repeat("x", 100_000)))
	add(field{"a field like a known one", partnerapi.Products, strings.Replace(Product, `"locale"`, `"ID":1,"locale"`, 1), `"ID":1`}, true, "7", "null")
	add(unknown, false, quote(repeat("x", 1<<20)))
	add(field{"unknown field of a slot", partnerapi.Availability, strings.Replace(slot, `"status"`, `"x":1,"status"`, 1), `"x":1`}, true, quote(repeat("x", 60_000)))
	add(field{"unknown field of a slot", partnerapi.Availability, strings.Replace(slot, `"status"`, `"x":1,"status"`, 1), `"x":1`}, false, quote(repeat("x", 1<<16)))

	prices := field{"pricingFrom", partnerapi.Products, Product, `"pricingFrom":[{"original":1,"currency":"EUR"}]`}
	price := `{"original":1,"currency":"EUR"},`
	add(prices, true, "["+repeat(price, 199)+price[:len(price)-1]+"]")
	add(prices, false, "[]", "null", "["+repeat(price, 200)+price[:len(price)-1]+"]")
	return all
}
