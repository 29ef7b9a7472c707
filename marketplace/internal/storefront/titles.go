package storefront

import (
	"golang.org/x/text/collate"
	"golang.org/x/text/language"
)

// longestTitle limits the key of a title, in bytes: about its first 60 letters.
const longestTitle = 120

// titleKeys makes texts that order titles as people expect, in every alphabet: neither case nor accents
// matter.
type titleKeys struct {
	collator *collate.Collator
	buffer   collate.Buffer
}

func newTitleKeys() *titleKeys {
	return &titleKeys{collator: collate.New(language.Und, collate.Loose)}
}

// key returns the text for a title. It is "" for "".
func (k *titleKeys) key(title string) string {
	if title == "" {
		return ""
	}
	k.buffer.Reset()
	key := k.collator.KeyFromString(&k.buffer, title)
	return string(key[:min(len(key), longestTitle)])
}

// titleIn returns the key of the title in a language, as answers show it.
func (l *listing) titleIn(wanted string) string {
	if key := l.titles[lookUp(wanted, l.locale, l.titles)]; key != "" {
		return key
	}
	return l.title
}
