package platform

import (
	"cmp"
	"iter"

	"github.com/tidwall/btree"
)

// table is a map that is copied in constant time: the copies share what neither
// has changed. So that a change in one is never seen in another, its values are
// not changed in place but replaced.
type table[K cmp.Ordered, V any] struct{ *btree.Map[K, V] }

func newTable[K cmp.Ordered, V any]() table[K, V] { return table[K, V]{new(btree.Map[K, V])} }

func (t table[K, V]) fork() table[K, V] { return table[K, V]{t.Copy()} }

func (t table[K, V]) all() iter.Seq2[K, V] { return t.Scan }

// slotTable is a table by slot.
type slotTable[V any] struct {
	tree *btree.BTreeG[slotEntry[V]]
}

type slotEntry[V any] struct {
	key   slotKey
	value V
}

func newSlotTable[V any]() slotTable[V] {
	before := func(a, b slotEntry[V]) bool { return a.key.compare(b.key) < 0 }
	return slotTable[V]{btree.NewBTreeGOptions(before, btree.Options{NoLocks: true})}
}

// compare orders slots, in an order that means nothing.
func (k slotKey) compare(other slotKey) int {
	order := cmp.Or(
		cmp.Compare(k.option.Key, other.option.Key),
		cmp.Compare(k.day, other.day),
		cmp.Compare(k.minute, other.minute),
	)
	if order != 0 || k.option == other.option {
		return order
	}
	// Two options with one hash.
	return cmp.Or(cmp.Compare(k.option.Product.ID, other.option.Product.ID), cmp.Compare(k.option.ID, other.option.ID))
}

func (t slotTable[V]) fork() slotTable[V] { return slotTable[V]{t.tree.Copy()} }

func (t slotTable[V]) get(key slotKey) (V, bool) {
	entry, ok := t.tree.Get(slotEntry[V]{key: key})
	return entry.value, ok
}

func (t slotTable[V]) set(key slotKey, value V) { t.tree.Set(slotEntry[V]{key, value}) }

func (t slotTable[V]) delete(key slotKey) { t.tree.Delete(slotEntry[V]{key: key}) }

func (t slotTable[V]) len() int { return t.tree.Len() }

func (t slotTable[V]) all() iter.Seq2[slotKey, V] {
	return func(yield func(slotKey, V) bool) {
		t.tree.Scan(func(e slotEntry[V]) bool { return yield(e.key, e.value) })
	}
}
