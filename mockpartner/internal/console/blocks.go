package console

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/net/html"
)

// blockMark is the attribute of the blocks of a page that a script replaces, with their version.
const blockMark = "data-live"

// countdown matches a time that is left. The script counts it down, so it is no change.
var countdown = regexp.MustCompile(`(data-expires="\d+">)[^<]*`)

// stamped returns a page whose blocks have their versions. If a caller names the blocks that it has, as
// id.version, it gets only the other blocks.
func stamped(page []byte, had []string) ([]byte, error) {
	root, err := html.Parse(bytes.NewReader(page))
	if err != nil {
		return nil, err
	}
	var changed bytes.Buffer
	for node := range root.Descendants() {
		if node.Type == html.TextNode && strings.TrimSpace(node.Data) == "" && strings.Contains(node.Data, "\n") {
			node.Data = "\n" // without its indentation
		}
		i := slices.IndexFunc(node.Attr, func(a html.Attribute) bool { return a.Key == blockMark })
		if i < 0 {
			continue
		}
		var text bytes.Buffer
		if err := html.Render(&text, node); err != nil {
			return nil, err
		}
		sum := sha256.Sum256(countdown.ReplaceAll(text.Bytes(), []byte("$1")))
		node.Attr[i].Val = hex.EncodeToString(sum[:4])
		if !slices.Contains(had, idOf(node)+"."+node.Attr[i].Val) {
			if err := html.Render(&changed, node); err != nil {
				return nil, err
			}
		}
	}
	if had != nil {
		return changed.Bytes(), nil
	}
	var whole bytes.Buffer
	err = html.Render(&whole, root)
	return whole.Bytes(), err
}

func idOf(node *html.Node) string {
	for _, a := range node.Attr {
		if a.Key == "id" {
			return a.Val
		}
	}
	return ""
}

// partOf returns the blocks that a caller names in the query as those that it has, or nil if it wants
// the complete page.
func partOf(query map[string][]string) []string {
	if given := query["part"]; len(given) > 0 {
		return append([]string{}, strings.Fields(given[0])...)
	}
	return nil
}
