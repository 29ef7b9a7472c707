package schemas_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"partnerkit.dev/schemas"
)

// mostPerByte is how many bytes judging one byte of a text may allocate: decoded, a byte
// takes some twenty, and the errors of a text that is wrong throughout some hundred more.
var mostPerByte uint64 = 180

// hostileTexts are texts of about a quarter of a mebibyte that a stranger may send, by what is wrong with
// them.
func hostileTexts() map[string]string {
	const size = 1 << 18
	members := func(format string) string {
		var list strings.Builder
		for i := 0; list.Len() < size/2; i++ {
			fmt.Fprintf(&list, format, i)
		}
		return strings.TrimSuffix(list.String(), ",")
	}
	nested := func(levels int, leaf string) string {
		return strings.Repeat(`{"`+strings.Repeat("n", size/levels)+`":`, levels) + leaf + strings.Repeat("}", levels)
	}
	long := strings.Repeat("a", size/2)
	return map[string]string{
		"a bad number below long names":        nested(schemas.MaxDepth, "1e999"),
		"nested too deeply":                    nested(9000, "1"),
		"a long name beside many bad numbers":  `{"` + long + `":1e999,` + members(`"a%d":1e999,`) + `}`,
		"many unknown names":                   `{` + members(`"k%d":0,`) + `}`,
		"many translations, each of them bad":  `{"translation":{` + members(`"k%d":{"title":1},`) + `}}`,
		"many rates, each of them bad":         `{"rates":{` + members(`"k%d":-1,`) + `}}`,
		"many products that are none":          `{"products":[` + strings.Repeat(`{},`, size/3) + `0]}`,
		"many options that have nothing right": `{"id":7,"options":[` + strings.Repeat(`{"units":[{},{},{}]},`, size/21) + `0]}`,
		"a long text where a number belongs":   `{"vacancies":"` + long + `"}`,
		"large numbers":                        `{"vacancies":[` + strings.Repeat(`1e399,`, size/6) + `0]}`,
	}
}

// Not parallel: what the process allocates meanwhile is the text's.
func TestJudgingATextCostsAsMuchAsItIsLong(t *testing.T) {
	for what, text := range hostileTexts() {
		for _, schema := range []string{schemas.Product, schemas.Slot, schemas.ProductsAnswer, schemas.ActivityChangeRequest, "operator/rates-request"} {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			problems := schemas.Validate(schema, []byte(text))
			runtime.ReadMemStats(&after)
			if got := (after.TotalAlloc - before.TotalAlloc) / uint64(len(text)); got > mostPerByte {
				t.Errorf("%s, judged as %s: want at most %d bytes allocated for each that was sent, got %d", what, schema, mostPerByte, got)
			}
			for _, problem := range problems {
				if message := problem.String(); len(message) > 1000 || strings.Count(message, "aaa")+strings.Count(message, "nnn") > 200/3 {
					t.Errorf("%s, judged as %s: want a message that quotes little, got %d bytes: %.300s", what, schema, len(message), message)
				}
			}
		}
	}
}
