package script

import (
	"crypto/sha256"
	"encoding/binary"
	"math/rand/v2"
)

// draw returns the randomness of a fault's n-th match of a key. It depends on
// nothing else, so that concurrent callers cannot take each other's chances.
func draw(seed uint64, fault, key string, n int) *rand.Rand {
	text := binary.BigEndian.AppendUint64(nil, seed)
	text = binary.BigEndian.AppendUint64(text, uint64(n))
	text = binary.BigEndian.AppendUint64(text, uint64(len(fault)))
	digest := sha256.Sum256(append(append(text, fault...), key...))
	return rand.New(rand.NewPCG(binary.BigEndian.Uint64(digest[:8]), binary.BigEndian.Uint64(digest[8:16])))
}
