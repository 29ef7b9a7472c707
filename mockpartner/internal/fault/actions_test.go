package fault

import (
	"os"
	"reflect"
	"regexp"
	"strings"
	"testing"
)

func TestEachFaultHasAFileOfItsName(t *testing.T) {
	t.Parallel()
	wordStart := regexp.MustCompile(`([a-z])([A-Z])`)
	for field := range reflect.TypeFor[Actions]().Fields() {
		name := strings.ToLower(wordStart.ReplaceAllString(field.Name, "${1}_$2")) + ".go"
		text, err := os.ReadFile(name)
		if err != nil || !strings.Contains(string(text), "\ntype "+field.Name+" ") {
			t.Errorf("want the type %s in %s, got %v", field.Name, name, err)
		}
	}
}
