package traffic

import (
	"strconv"
	"testing"

	"partnerkit.dev/conformance/internal/discover"
)

func TestACatalogOfEverNewProductsTakesBoundedMemory(t *testing.T) {
	t.Parallel()
	s := &sold{products: map[string]discover.Product{}}
	for n := range 2*mostProducts + 1 {
		s.show(discover.Product{ID: strconv.Itoa(n)})
	}
	if kept, _ := s.size(); kept == 0 || kept > mostProducts {
		t.Errorf("Expected at most %d products, received %d", mostProducts, kept)
	}
	if _, known := s.products[strconv.Itoa(2*mostProducts)]; !known {
		t.Error("Expected the newest product remembered")
	}
}
