package redact

import (
	"encoding/binary"
	"slices"
)

// startLength is the length of a start in bytes. Everything that is searched for is longer.
const startLength = 4

// starts finds in one pass whether a text may contain one of many parts, by the first bytes of
// each. Nearly all texts contain none, and searching them for each part takes ten times as long.
type starts struct {
	table [1 << 12 / 64]uint64 // a bit for each hash of a start
	all   []uint32
}

func (s *starts) add(part []byte) {
	start := binary.LittleEndian.Uint32(part)
	hash := hashOf(start)
	s.table[hash/64] |= 1 << (hash % 64)
	s.all = append(s.all, start)
}

func hashOf(start uint32) uint32 { return start * 0x9e3779b1 >> 20 }

// occurIn reports whether the text contains a start.
func (s *starts) occurIn(text []byte) bool {
	for at := 0; at+startLength <= len(text); at++ {
		start := binary.LittleEndian.Uint32(text[at:])
		hash := hashOf(start)
		if s.table[hash/64]&(1<<(hash%64)) != 0 && slices.Contains(s.all, start) {
			return true
		}
	}
	return false
}
