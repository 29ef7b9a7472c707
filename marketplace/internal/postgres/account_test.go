package postgres_test

import (
	"crypto/sha256"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"partnerkit.dev/marketplace/internal/domain"
	"partnerkit.dev/marketplace/internal/postgres"
	"partnerkit.dev/marketplace/internal/postgres/pgtest"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

var now = time.Date(2026, 7, 1, 9, 0, 0, 0, time.UTC)

func hash(text string) []byte {
	sum := sha256.Sum256([]byte(text))
	return sum[:]
}

func anAccount(t *testing.T, store *postgres.Store, email string, role domain.Role) domain.Account {
	t.Helper()
	a := domain.Account{ID: uuid.New(), Email: email, Name: "Ana", Role: role, PasswordHash: "a-hash", CreatedAt: now}
	check(t, store.Accounts.CreateAccount(t.Context(), a))
	return a
}

func wantCode(t *testing.T, err error, want domain.Code) {
	t.Helper()
	if err == nil || domain.CodeOf(err) != want {
		t.Errorf("want %s, got %v", want, err)
	}
}

func TestAnAccountIsFoundByItsAddressAndItsID(t *testing.T) {
	t.Parallel()
	store := pgtest.Open(t)
	want := anAccount(t, store, "ana@example.com", domain.Reseller)
	for name, find := range map[string]func() (domain.Account, error){
		"address": func() (domain.Account, error) {
			return store.Accounts.AccountByEmail(t.Context(), "ana@example.com")
		},
		"id": func() (domain.Account, error) { return store.Accounts.Account(t.Context(), want.ID) },
	} {
		if got, err := find(); err != nil || got != want {
			t.Errorf("%s: want %+v, got %+v and %v", name, want, got, err)
		}
	}
	_, err := store.Accounts.AccountByEmail(t.Context(), "unknown@example.com")
	wantCode(t, err, domain.NotFound)
}

func TestOnlyAnAccountOfTheRoleGetsAnAPIToken(t *testing.T) {
	t.Parallel()
	store := pgtest.Open(t)
	partner := anAccount(t, store, "ana@example.com", domain.Partner)
	token := domain.APIToken{ID: uuid.New(), AccountID: partner.ID, CreatedAt: now}
	wantCode(t, store.Accounts.AddAPIToken(t.Context(), token, hash("secret"), domain.Reseller), domain.NotFound)
}

// aFamily signs in to an account with the refresh token "first".
func aFamily(t *testing.T, store *postgres.Store) domain.Account {
	t.Helper()
	a := anAccount(t, store, "ana@example.com", domain.Reseller)
	check(t, store.Accounts.StartFamily(t.Context(), uuid.New(), a, hash("first"), hash("office"), now, now.Add(time.Hour)))
	return a
}

func TestARefreshTokenExpires(t *testing.T) {
	t.Parallel()
	store := pgtest.Open(t)
	aFamily(t, store)
	_, _, err := store.Accounts.Rotate(t.Context(), hash("first"), hash("second"), now.Add(time.Hour), now.Add(2*time.Hour))
	wantCode(t, err, domain.Unauthorized)
	if dropped, err := store.Accounts.DropExpiredRefreshTokens(t.Context(), now.Add(time.Hour), 100); err != nil || dropped != 1 {
		t.Errorf("want the sign-in dropped, got %d and %v", dropped, err)
	}
}

// It makes no difference whether the token is still stored.
func TestAnExpiredRefreshTokenThatIsUsedAgainEndsNoSession(t *testing.T) {
	t.Parallel()
	store := pgtest.Open(t)
	aFamily(t, store)
	_, _, err := store.Accounts.Rotate(t.Context(), hash("first"), hash("second"), now.Add(time.Minute), now.Add(2*time.Hour))
	check(t, err)
	later := now.Add(time.Hour)
	for _, dropped := range []int64{1, 0} {
		_, _, err = store.Accounts.Rotate(t.Context(), hash("first"), hash("stolen"), later, later.Add(time.Hour))
		wantCode(t, err, domain.Unauthorized)
		if n, err := store.Accounts.DropExpiredRefreshTokens(t.Context(), later, 100); err != nil || n != dropped {
			t.Errorf("want %d dropped, got %d and %v", dropped, n, err)
		}
	}
	_, _, err = store.Accounts.Rotate(t.Context(), hash("second"), hash("third"), later, later.Add(time.Hour))
	check(t, err)
}

func TestTwoConcurrentUsesOfARefreshTokenCountAsAFirstAndASecond(t *testing.T) {
	t.Parallel()
	store := pgtest.Open(t)
	aFamily(t, store)
	var all sync.WaitGroup
	var good, bad sync.Map
	for i := range 8 {
		all.Go(func() {
			if _, _, err := store.Accounts.Rotate(t.Context(), hash("first"), hash(string(rune('a'+i))), now, now.Add(time.Hour)); err == nil {
				good.Store(i, true)
			} else if domain.CodeOf(err) == domain.Unauthorized {
				bad.Store(i, true)
			} else {
				t.Error(err)
			}
		})
	}
	all.Wait()
	count := func(m *sync.Map) (n int) {
		m.Range(func(any, any) bool { n++; return true })
		return n
	}
	if count(&good) != 1 || count(&bad) != 7 {
		t.Errorf("want one use and seven refusals, got %d and %d", count(&good), count(&bad))
	}
}
