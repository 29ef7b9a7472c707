package probe

import (
	"maps"
	"net/http"
	"slices"
	"strings"

	"partnerkit.dev/schemas/partnerapi"
)

// header returns a redacted copy of h, cut to a bounded length. Credentials are
// redacted by their header's name as well, for keys too short to be searched for.
func (c *Client) header(h http.Header) http.Header {
	shown := make(http.Header, len(h))
	left := longestText
	for _, name := range slices.Sorted(maps.Keys(h)) {
		for _, value := range h[name] {
			switch {
			case name != "Authorization", strings.Contains(value, wrongKey):
				value = c.shown(value, longestText)
			case strings.HasPrefix(value, "Bearer ") && c.config.AuthType != partnerapi.APIKey:
				value = "Bearer " + Redacted
			default:
				value = Redacted
			}
			label := c.shown(name, longestText)
			if left -= len(label) + len(value); left < 0 {
				shown.Add("(more)", "the rest of the header is left out")
				return shown
			}
			shown.Add(label, value)
		}
	}
	return shown
}

// body returns raw as evidence shows it.
func (c *Client) body(raw []byte) Body {
	text := c.redact.Redact(string(raw[:min(len(raw), 2*longestText)]))
	return Body{
		Text: strings.ToValidUTF8(text[:min(len(text), longestText)], "\uFFFD"),
		Size: int64(len(raw)),
		Cut:  len(raw) > longestText,
	}
}

// shown returns text as evidence shows it: without the key, and cut. It is
// redacted before it is cut, with some text to spare, lest a key that straddles
// the cut show its first half.
func (c *Client) shown(text string, most int) string {
	return cut(c.redact.Redact(text[:min(len(text), most+longestText)]), most)
}

// cut shortens text to so many bytes and says so with an ellipsis.
func cut(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + ellipsis
}
