package schemas

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"sync"
)

// ContractVersion tells one state of the partner contract from another: the
// first twelve hexadecimal digits of the SHA-256 over the schemas of partners'
// bodies and webhooks, as files in the order of their names, each preceded by a
// line with its name and its length in bytes.
func ContractVersion() string { return contractVersion() }

var contractVersion = sync.OnceValue(func() string {
	sum := sha256.New()
	for _, name := range Names() {
		if !strings.HasPrefix(name, "partner/") && !strings.HasPrefix(name, "webhook/") {
			continue
		}
		text, err := Source(name)
		if err != nil {
			panic(err) // Names lists what is embedded
		}
		fmt.Fprintf(sum, "%s %d\n%s", name, len(text), text)
	}
	return hex.EncodeToString(sum.Sum(nil))[:12]
})
