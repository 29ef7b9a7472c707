package webui_test

import (
	"strings"
	"testing"

	"partnerkit.dev/internal/webui"
)

func TestStylesAndScriptsComeWithoutCommentsAndIndentation(t *testing.T) {
	t.Parallel()
	style := webui.Style("/* Why. */\na { content: \"// x\"; }\n  b:hover {} /* c */ d {}\n")
	if want := "a {content: \"// x\";}\nb:hover {}d {}\n"; !strings.HasSuffix(style, want) {
		t.Errorf("expected %q at the end, received %q", want, style[len(style)-len(want)-40:])
	}
	script := webui.Script("  // Why.\n  const a = \"http://b\"; // c\n  d(/[/]$/);\n")
	if want := "const a = \"http://b\";\nd(/[/]$/);\n"; !strings.HasSuffix(script, want) {
		t.Errorf("expected %q at the end, received %q", want, script[len(script)-len(want)-40:])
	}
	if packed := len(webui.Gzip([]byte(webui.Script("")))); packed > 4<<10 {
		t.Errorf("expected the script of all pages in at most 4 kB, received %d bytes", packed)
	}
}
