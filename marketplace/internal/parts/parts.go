// Package parts finds what is missing when something is built from its parts. A missing part is then
// an error at the start, and never a panic in a request.
package parts

import (
	"fmt"
	"reflect"
)

// Check returns an error that names the first part of a configuration that is nil, for example "api:
// Store.Accounts is missing". A field with the tag `part:"optional"` may be nil.
func Check(what string, config any) error {
	if name := missing(reflect.ValueOf(config)); name != "" {
		return fmt.Errorf("%s: %s is missing", what, name)
	}
	return nil
}

func missing(config reflect.Value) string {
	for field, value := range config.Fields() {
		if !field.IsExported() || field.Tag.Get("part") == "optional" {
			continue
		}
		switch value.Kind() {
		case reflect.Interface:
			if value.IsNil() || value.Elem().Kind() == reflect.Pointer && value.Elem().IsNil() {
				return field.Name
			}
		case reflect.Chan, reflect.Func, reflect.Map, reflect.Pointer:
			if value.IsNil() {
				return field.Name
			}
		case reflect.Struct:
			if name := missing(value); name != "" {
				return field.Name + "." + name
			}
		}
	}
	return ""
}
