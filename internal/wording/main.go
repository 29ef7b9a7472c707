// Wording finds words that this project does not use, in code and in documents, and suggests better
// ones. It reads its list from words.txt.
//
//	go run ./internal/wording -list internal/wording/words.txt .
//
// It exits with 1 if it finds any. `make check` runs it. With -messages it instead prints every
// message that a user can see, to be read as one text.
package main

import (
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

func main() {
	name := flag.String("list", "internal/wording/words.txt", "the `file` with the words")
	printed := flag.Bool("messages", false, "print the messages in Go code outside of tests, with their places, and check nothing")
	flag.Parse()
	root := "."
	if flag.NArg() > 0 {
		root = flag.Arg(0)
	}
	if *printed {
		exitOn(printMessages(root))
		return
	}
	found, err := run(*name, root)
	exitOn(err)
	for _, f := range found {
		fmt.Println(f)
	}
	if len(found) > 0 {
		os.Exit(1)
	}
}

func exitOn(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "wording:", err)
		os.Exit(2)
	}
}

// run checks every file below the root.
func run(listName, root string) ([]finding, error) {
	text, err := os.ReadFile(listName)
	if err != nil {
		return nil, err
	}
	words, err := parseList(string(text))
	if err != nil {
		return nil, fmt.Errorf("%s:%w", listName, err)
	}
	var found []finding
	err = walk(root, words, func(path, text string) { found = append(found, words.check(path, text)...) })
	return found, err
}

// printMessages prints the messages of every Go file below the root.
func printMessages(root string) error {
	return walk(root, list{}, func(path, text string) {
		if !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return
		}
		for _, m := range messages(text) {
			fmt.Printf("%s:%d\t%s\n", path, m.line, m.text)
		}
	})
}

// walk reads every file below the root that has prose and is not skipped.
func walk(root string, words list, read func(path, text string)) error {
	return filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		relative, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		relative = filepath.ToSlash(relative)
		if entry.IsDir() && (notOurs[entry.Name()] || words.skips(relative+"/")) {
			return fs.SkipDir
		}
		if !entry.Type().IsRegular() || !hasProse(relative) || words.skips(relative) {
			return nil
		}
		text, err := os.ReadFile(path)
		if err == nil {
			read(relative, string(text))
		}
		return err
	})
}

// notOurs are folders without text written by this project.
var notOurs = map[string]bool{".git": true, "build": true, "dist": true, ".demo": true, "node_modules": true}
