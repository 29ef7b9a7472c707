package ledger

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
)

// Each line of a ledger ends with a MAC, as in `{"entry":1,…,"mac":"5f0c…"}`. Its key is derived
// from the partner's auth key, the partner's address and the run's name. The MAC covers the line
// and the previous MAC. So writing, changing or moving a line, or changing the address, requires
// the auth key. Only the last lines can be cut off: what they undid is then undone twice.
const (
	macBegin = `,"mac":"`
	macEnd   = "\"}\n"
	macSize  = len(macBegin) + 2*sha256.Size + len(macEnd)
)

// chain computes the MACs of a ledger's lines, one after the other.
type chain struct {
	key  []byte
	last []byte
}

func newChain(authKey, address, run string) *chain {
	derived := hmac.New(sha256.New, []byte(authKey))
	fmt.Fprintf(derived, "conformance ledger %d %q %q", version, address, run)
	return &chain{key: derived.Sum(nil)}
}

// nextMAC returns the MAC of the next line, a JSON object.
func (c *chain) nextMAC(object []byte) []byte {
	mac := hmac.New(sha256.New, c.key)
	mac.Write(c.last)
	mac.Write(object)
	c.last = mac.Sum(nil)
	return c.last
}

// line returns the next line with its MAC. On a nil chain it returns the line without a MAC.
func (c *chain) line(object []byte) []byte {
	if c == nil {
		return append(object, '\n')
	}
	mac := hex.EncodeToString(c.nextMAC(object))
	return append(object[:len(object)-1], macBegin+mac+macEnd...)
}

// cutMAC returns the object of a line and its MAC. The MAC may be missing: it is nil then.
func cutMAC(line []byte) (object, mac []byte) {
	at := len(line) - macSize
	if at < 1 || !bytes.HasPrefix(line[at:], []byte(macBegin)) || !bytes.HasSuffix(line, []byte(macEnd)) {
		return line, nil
	}
	mac, err := hex.DecodeString(string(line[at+len(macBegin) : len(line)-len(macEnd)]))
	if err != nil {
		return line, nil
	}
	return append(bytes.Clone(line[:at]), '}'), mac
}
