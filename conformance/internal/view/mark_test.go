package view

import "testing"

func TestThePlaceInQuestionIsMarked(t *testing.T) {
	t.Parallel()
	const text = `{
  "id": "boat",
  "a/b": {"x": [1, 22]},
  "units": [
    {"id": "adult"},
    {"id": "child", "price": null}
  ]
}`
	for _, c := range []struct{ place, want, missing string }{
		{"/id", `"id": "boat"`, ""},
		{"/units/1", `{"id": "child", "price": null}`, ""},
		{"/units/1/price", `"price": null`, ""},
		{"/units", "\"units\": [\n    {\"id\": \"adult\"},\n    {\"id\": \"child\", \"price\": null}\n  ]", ""},
		{"/a~1b/x/1", "22", ""},
		{"/units/0/type", "", "type"},
		{"/units/7", "", "7"},
		{"/c~1d", "", "c/d"},
		{"", "", ""},
	} {
		got := mark(text, c.place)
		if got.Marked != c.want || got.Missing != c.missing || got.Before+got.Marked+got.After != text {
			t.Errorf("at %s: want %q marked and %q missing, got %+v", c.place, c.want, c.missing, got)
		}
	}
	for _, broken := range []string{"", "{", `{"a": "b`, "no JSON", `{"a":1}` + "\n…"} {
		if got := mark(broken, "/b"); got.Before != broken {
			t.Errorf("%q: want it as it is, got %+v", broken, got)
		}
	}
}
