package packaging

import (
	"io/fs"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	"golang.org/x/net/html"

	"partnerkit.dev/internal/axetest"
	"partnerkit.dev/internal/browsertest"
)

// folder of the site: all its versions.
const siteFolder = "../build/site"

// repository is the address that stands for the repository in the site.
const repository = "https://github.com/OWNER/partnerkit/tree/"

// page parses a page of the site.
func page(t *testing.T, name string) *html.Node {
	t.Helper()
	file, err := os.Open(name)
	check(t, err)
	defer file.Close()
	parsed, err := html.Parse(file)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return parsed
}

// pages returns all pages of the tested version, by path from its root.
func pages(t *testing.T) map[string]*html.Node {
	t.Helper()
	found := map[string]*html.Node{}
	root := filepath.Join(siteFolder, version)
	err := filepath.WalkDir(root, func(name string, entry fs.DirEntry, err error) error {
		if err == nil && filepath.Ext(name) == ".html" {
			found[strings.TrimPrefix(filepath.ToSlash(name), filepath.ToSlash(root)+"/")] = page(t, name)
		}
		return err
	})
	if err != nil || len(found) < 25 {
		t.Fatalf("expected the pages of the site: run make ship-test; received %d, %v", len(found), err)
	}
	return found
}

func attribute(node *html.Node, name string) string {
	for _, a := range node.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

func TestSite_LeadsNowhereThatIsNotThere(t *testing.T) {
	t.Parallel()
	all := pages(t)
	anchors := map[string]map[string]bool{}
	for name, parsed := range all {
		anchors[name] = map[string]bool{"": true}
		for node := range parsed.Descendants() {
			anchors[name][attribute(node, "id")] = true
		}
	}
	checked := 0
	for name, parsed := range all {
		for node := range parsed.Descendants() {
			for _, attr := range []string{"href", "src"} {
				address := attribute(node, attr)
				if address == "" {
					continue
				}
				checked++
				target, err := url.Parse(address)
				if err != nil {
					t.Errorf("%s: %v", name, err)
					continue
				}
				if inTree, ok := strings.CutPrefix(address, repository); ok {
					_, file, _ := strings.Cut(inTree, "/")
					if _, err := os.Stat(filepath.Join("..", file)); err != nil {
						t.Errorf("%s: %s: %v", name, address, err)
					}
					continue
				}
				if target.Host != "" {
					if node.Data != "a" {
						t.Errorf("%s loads %s from another host", name, address)
					}
					continue
				}
				if target.Path == "." && name == "404.html" || strings.HasPrefix(target.Path, "/") {
					continue // the page is shown at any address, so its links have no base
				}
				file := path.Join(path.Dir(name), target.Path)
				if target.Path == "" {
					file = name
				} else if strings.HasSuffix(target.Path, "/") || path.Ext(file) == "" || target.Path == "." || target.Path == ".." {
					file = path.Join(file, "index.html")
				}
				switch known, isPage := anchors[file]; {
				case isPage && !known[target.Fragment]:
					t.Errorf("%s: %s: no such heading", name, address)
				case !isPage:
					if _, err := os.Stat(filepath.Join(siteFolder, version, file)); err != nil {
						t.Errorf("%s: %s: no such file", name, address)
					}
				}
			}
		}
	}
	if checked < 2000 {
		t.Errorf("expected the links of all pages, received %d", checked)
	}
}

// The site's converter reads Markdown in another way than GitHub, for which the documents are
// written. What it gets wrong mostly shows in the number of elements.
func TestSite_ReadsDocumentsAsGitHubDoes(t *testing.T) {
	t.Parallel()
	reference := goldmark.New(goldmark.WithExtensions(extension.GFM))
	all := pages(t)
	checked := 0
	for name, parsed := range all {
		source := "../" + strings.TrimSuffix(strings.TrimSuffix(name, "index.html"), "/")
		text, err := os.ReadFile(source + ".md")
		if err != nil {
			text, err = os.ReadFile(path.Join(source, "README.md"))
		}
		if name == "404.html" {
			continue
		}
		if err != nil {
			t.Errorf("%s: no document for it: %v", name, err)
			continue
		}
		var converted strings.Builder
		check(t, reference.Convert(text, &converted))
		want, err := html.Parse(strings.NewReader(converted.String()))
		check(t, err)
		expected := elements(want)
		var received map[string]int
		for node := range parsed.Descendants() {
			if node.Data == "article" {
				received = elements(node)
			}
		}
		if !maps.Equal(received, expected) {
			t.Errorf("%s: expected the elements %v, received %v", name, expected, received)
		}
		checked++
	}
	if checked < 25 {
		t.Errorf("expected the pages of all documents, received %d", checked)
	}
}

// elements counts the elements of a document's structure.
func elements(document *html.Node) map[string]int {
	counted := map[string]int{}
	for node := range document.Descendants() {
		if node.Type == html.ElementNode && slices.Contains([]string{"h1", "h2", "h3", "h4", "ul", "ol", "li", "table", "tr", "th", "td", "pre", "img"}, node.Data) {
			counted[node.Data]++
		}
	}
	return counted
}

func TestSite_StartLeadsToTheNewestVersion(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"index.html", "404.html"} {
		leads := ""
		for node := range page(t, filepath.Join(siteFolder, name)).Descendants() {
			if attribute(node, "http-equiv") == "refresh" {
				leads = attribute(node, "content")
			}
		}
		if leads != "0; url=/"+version+"/" {
			t.Errorf("%s: expected it to lead to %s, received %q", name, version, leads)
		}
	}
}

// The browser reports every request for another host, and every script that fails.
func TestSite_WorksInABrowserWithoutOtherHosts(t *testing.T) {
	t.Parallel()
	pages(t)
	server := httptest.NewServer(http.FileServer(http.Dir(siteFolder)))
	t.Cleanup(server.Close)
	axe := axetest.Source(t)
	browser := browsertest.Start(t)
	tab := browsertest.Open(t, browser, server.URL)

	// Versions can be chosen.
	tab.GoTo("/" + version + "/")
	tab.Shows(".md-version__current", version)

	// Search finds a rule by its id.
	tab.Write("[data-md-component=search-query]", "confirm.repeat.booking")
	tab.Shows(".md-search-result__item", "confirm.repeat.booking")

	// A diagram is drawn.
	tab.GoTo("/" + version + "/docs/architecture/")
	tab.See(`document.querySelectorAll("pre.mermaid").length === 0 && document.querySelectorAll("div.mermaid").length > 0`)
	tab.RequireNoProblems()

	// On a phone it is large enough to read, and scrolls, also by keyboard.
	tab.GoTo("/" + version + "/docs/booking/")
	tab.Fits(390)
	tab.See(`document.querySelector("div.mermaid")?.clientWidth > 500 && document.querySelector(".diagram").tabIndex === 0`)
	tab.RequireUncut(".md-header__topic:first-child > .md-ellipsis")

	for scheme, colours := range map[string]string{"light": "default", "dark": "slate"} {
		tab := browsertest.Open(t, browser, server.URL, browsertest.Media("screen", scheme)) // the theme remembers the first scheme
		for _, name := range []string{"/", "/docs/rules/", "/docs/operations/", "/docs/reseller-guide/"} {
			tab.GoTo("/" + version + name)
			tab.See(`document.readyState === "complete" && document.body.dataset.mdColorScheme === "` + colours + `"`)
			axetest.Check(tab, axe)
			tab.Fits(390, 1440)
		}
		tab.RequireNoProblems()
	}
}
