package auth_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/alexedwards/argon2id"
	"github.com/golang-jwt/jwt/v5"
	"github.com/google/uuid"

	"partnerkit.dev/internal/errtest"
	"partnerkit.dev/marketplace/internal/auth"
	"partnerkit.dev/marketplace/internal/domain"
	"partnerkit.dev/marketplace/internal/postgres"
	"partnerkit.dev/marketplace/internal/postgres/pgtest"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

const password = "correct horse battery"

// bench is a service with an account, ana@example.com, and its own clock.
type bench struct {
	*auth.Service
	store   *postgres.Store
	secret  *auth.Secret
	account domain.Account
	ahead   atomic.Int64
}

func (b *bench) now() time.Time {
	return time.Date(2026, 7, 1, 9, 0, 0, 0, time.UTC).Add(time.Duration(b.ahead.Load()))
}

func setup(t *testing.T, failures int) *bench {
	t.Helper()
	b := &bench{store: pgtest.Open(t)}
	var err error
	b.secret, err = auth.NewSecret([]byte(strings.Repeat("s", auth.ShortestSecret)))
	must(t, err)
	// The hash is cheap to check, because the race detector makes hashing slow.
	hash, err := argon2id.CreateHash(password, &argon2id.Params{Memory: 64, Iterations: 1, Parallelism: 1, SaltLength: 16, KeyLength: 32})
	must(t, err)
	b.account = domain.Account{ID: uuid.New(), Email: "ana@example.com", Role: domain.Partner, PasswordHash: hash, CreatedAt: b.now()}
	must(t, b.store.Accounts.CreateAccount(t.Context(), b.account))
	b.Service = auth.NewService(b.store.Accounts, b.secret, failures, b.now)
	return b
}

func (b *bench) signIn(t *testing.T) auth.Tokens {
	t.Helper()
	tokens, err := b.SignIn(t.Context(), " Ana@Example.com ", password, "192.0.2.1")
	must(t, err)
	return tokens
}

func wantCode(t *testing.T, err error, want domain.Code) {
	t.Helper()
	if err == nil || domain.CodeOf(err) != want {
		t.Errorf("want %s, got %v", want, err)
	}
}

func TestAPasswordIsExchangedForTokensThatIdentifyTheCaller(t *testing.T) {
	t.Parallel()
	b := setup(t, 10)
	tokens := b.signIn(t)
	if tokens.TokenType != "Bearer" || tokens.ExpiresIn != 900 {
		t.Errorf("want a Bearer token for 900 s, got %s for %d", tokens.TokenType, tokens.ExpiresIn)
	}
	who, err := b.ByAccessToken(t.Context(), tokens.AccessToken)
	if err != nil || who.Account != b.account.ID || who.Role != domain.Partner {
		t.Errorf("want the partner %s, got %+v and %v", b.account.ID, who, err)
	}
}

func TestAnAccessTokenIsGoodForItsTimeOnEveryReplica(t *testing.T) {
	t.Parallel()
	b := setup(t, 10)
	token := b.signIn(t).AccessToken
	other := auth.NewService(b.store.Accounts, b.secret, 10, b.now)
	b.ahead.Add(int64(auth.AccessLife - time.Second))
	for range 2 {
		if _, err := other.ByAccessToken(t.Context(), token); err != nil {
			t.Errorf("want it good elsewhere, got %v", err)
		}
	}
	b.ahead.Add(int64(time.Second))
	for name, replica := range map[string]*auth.Service{"never seen": b.Service, "found good before": other} {
		if _, err := replica.ByAccessToken(t.Context(), token); domain.CodeOf(err) != domain.Unauthorized {
			t.Errorf("%s: want it refused, got %v", name, err)
		}
	}
}

func TestATokenThatIsNotOursIsRefused(t *testing.T) {
	t.Parallel()
	b := setup(t, 10)
	made := func(method jwt.SigningMethod, key any, change func(jwt.MapClaims)) string {
		claims := jwt.MapClaims{
			"iss": "partnerkit-marketplace", "aud": "partnerkit-marketplace-api", "sub": b.account.ID.String(), "role": "operator",
			"jti": uuid.NewString(), "exp": b.now().Add(time.Hour).Unix(),
		}
		change(claims)
		token, err := jwt.NewWithClaims(method, claims).SignedString(key)
		must(t, err)
		return token
	}
	ours := b.secret.Key("access tokens")
	unchanged := func(jwt.MapClaims) {}
	if _, err := b.ByAccessToken(t.Context(), made(jwt.SigningMethodHS256, ours, unchanged)); err != nil {
		t.Fatalf("want the test's own token good, got %v", err)
	}
	for name, token := range map[string]string{
		"nothing":          "",
		"not a token":      "a.b.c",
		"unsigned":         made(jwt.SigningMethodNone, jwt.UnsafeAllowNoneSignatureType, unchanged),
		"another method":   made(jwt.SigningMethodHS512, ours, unchanged),
		"another key":      made(jwt.SigningMethodHS256, []byte("another key, of anybody's choice"), unchanged),
		"another issuer":   made(jwt.SigningMethodHS256, ours, func(c jwt.MapClaims) { c["iss"] = "someone" }),
		"another audience": made(jwt.SigningMethodHS256, ours, func(c jwt.MapClaims) { c["aud"] = "someone" }),
		"without an end":   made(jwt.SigningMethodHS256, ours, func(c jwt.MapClaims) { delete(c, "exp") }),
		"of no account":    made(jwt.SigningMethodHS256, ours, func(c jwt.MapClaims) { c["sub"] = "root" }),
		"of no sign-in":    made(jwt.SigningMethodHS256, ours, func(c jwt.MapClaims) { delete(c, "jti") }),
	} {
		if _, err := b.ByAccessToken(t.Context(), token); err == nil || domain.CodeOf(err) != domain.Unauthorized {
			t.Errorf("%s: want it refused, got %v", name, err)
		}
	}
}

func TestAWrongPasswordAndAnUnknownAccountAreTheSameAnswer(t *testing.T) {
	t.Parallel()
	b := setup(t, 10)
	_, wrong := b.SignIn(t.Context(), "ana@example.com", "a guess", "192.0.2.1")
	_, unknown := b.SignIn(t.Context(), "unknown@example.com", password, "192.0.2.1")
	_, decoy := b.SignIn(t.Context(), "unknown@example.com", "a password of no account", "192.0.2.1")
	for _, err := range []error{wrong, unknown, decoy} {
		wantCode(t, err, domain.Unauthorized)
		if err != nil && err.Error() != wrong.Error() {
			t.Errorf("want %q, got %q", wrong, err)
		}
	}
}

func TestFailuresOfAnAccountAreLimitedAndSuccessesDoNotCount(t *testing.T) {
	t.Parallel()
	b := setup(t, 3)
	for range 5 {
		b.signIn(t)
	}
	for range 3 {
		_, err := b.SignIn(t.Context(), "ana@example.com", "a guess", "192.0.2.1")
		wantCode(t, err, domain.Unauthorized)
	}
	_, err := b.SignIn(t.Context(), "ANA@example.com", password, "192.0.2.2")
	wantCode(t, err, domain.RateLimited)
	b.ahead.Add(int64(time.Minute))
	b.signIn(t)
}

// Knowing an operator's email address must not be enough to keep the operator out.
func TestGuessesElsewhereDoNotLockOutWhoComesFromAKnownPlace(t *testing.T) {
	t.Parallel()
	b := setup(t, 3)
	b.signIn(t)            // from 192.0.2.1
	for round := range 3 { // the guesser goes on, minute after minute, from several places
		for i := range 3 {
			_, err := b.SignIn(t.Context(), "ana@example.com", "a guess", fmt.Sprintf("198.51.100.%d", i))
			wantCode(t, err, domain.Unauthorized)
		}
		_, err := b.SignIn(t.Context(), "ana@example.com", password, "198.51.100.9")
		wantCode(t, err, domain.RateLimited)
		b.signIn(t)
		if round == 1 {
			b.Service = auth.NewService(b.store.Accounts, b.secret, 3, b.now) // a restart forgets no place
		} else {
			b.ahead.Add(int64(time.Minute))
		}
	}
	for range 6 { // a known place has its own limit, and no more
		_, _ = b.SignIn(t.Context(), "ana@example.com", "a guess", "192.0.2.1")
	}
	_, err := b.SignIn(t.Context(), "ana@example.com", password, "192.0.2.1")
	wantCode(t, err, domain.RateLimited)
	stranger := domain.Account{ID: uuid.New(), Email: "bob@example.com", Role: domain.Partner, PasswordHash: b.account.PasswordHash, CreatedAt: b.now()}
	must(t, b.store.Accounts.CreateAccount(t.Context(), stranger))
	for range 3 {
		_, err := b.SignIn(t.Context(), "bob@example.com", "a guess", "198.51.100.7")
		wantCode(t, err, domain.Unauthorized)
	}
	_, err = b.SignIn(t.Context(), "bob@example.com", password, "192.0.2.1")
	wantCode(t, err, domain.RateLimited) // ana's place is not bob's
}

func TestManyConcurrentSignInsAreNotCountedAsFailures(t *testing.T) {
	t.Parallel()
	b := setup(t, 2)
	var all sync.WaitGroup
	for range 40 {
		all.Go(func() {
			if _, err := b.SignIn(t.Context(), "ana@example.com", password, "192.0.2.1"); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
}

func TestConcurrentGuessesStayWithinTheLimit(t *testing.T) {
	t.Parallel()
	b := setup(t, 5)
	var tried atomic.Int64
	var all sync.WaitGroup
	for range 40 {
		all.Go(func() {
			_, err := b.SignIn(t.Context(), "ana@example.com", "a guess", "192.0.2.1")
			if domain.CodeOf(err) == domain.Unauthorized {
				tried.Add(1)
			} else {
				wantCode(t, err, domain.RateLimited)
			}
		})
	}
	all.Wait()
	if tried.Load() != 5 {
		t.Errorf("want 5 guesses tried, got %d", tried.Load())
	}
}

func TestFailuresFromAnAddressAreLimited(t *testing.T) {
	t.Parallel()
	b := setup(t, 1000)
	for range 30 {
		_, err := b.SignIn(t.Context(), "ana@example.com", "a guess", "192.0.2.1")
		wantCode(t, err, domain.Unauthorized)
	}
	_, err := b.SignIn(t.Context(), "ana@example.com", password, "192.0.2.1")
	wantCode(t, err, domain.RateLimited)
	if _, err := b.SignIn(t.Context(), "ana@example.com", password, "192.0.2.2"); err != nil {
		t.Errorf("want another address left alone, got %v", err)
	}
}

func TestARefreshTokenIsUsedOnceAndItsTheftEndsTheSignIn(t *testing.T) {
	t.Parallel()
	b := setup(t, 10)
	first := b.signIn(t)
	second, err := b.Refresh(t.Context(), first.RefreshToken)
	must(t, err)
	if who, err := b.ByAccessToken(t.Context(), second.AccessToken); err != nil || who.Account != b.account.ID {
		t.Errorf("want the account, got %+v and %v", who, err)
	}
	_, err = b.Refresh(t.Context(), first.RefreshToken)
	wantCode(t, err, domain.Unauthorized)
	_, err = b.Refresh(t.Context(), second.RefreshToken)
	wantCode(t, err, domain.Unauthorized)
}

func TestASignInThatHasEndedTakesItsAccessTokensWithIt(t *testing.T) {
	t.Parallel()
	b := setup(t, 10)
	first, second := b.signIn(t), b.signIn(t)
	other := auth.NewService(b.store.Accounts, b.secret, 10, b.now)
	for _, replica := range []*auth.Service{b.Service, other} {
		if _, err := replica.ByAccessToken(t.Context(), first.AccessToken); err != nil {
			t.Error(err)
		}
	}
	must(t, b.SignOut(t.Context(), first.RefreshToken))
	_, err := b.ByAccessToken(t.Context(), first.AccessToken)
	wantCode(t, err, domain.Unauthorized)
	b.ahead.Add(int64(time.Second)) // when the other replica reloads
	_, err = other.ByAccessToken(t.Context(), first.AccessToken)
	wantCode(t, err, domain.Unauthorized)
	for _, replica := range []*auth.Service{b.Service, other} {
		if _, err := replica.ByAccessToken(t.Context(), second.AccessToken); err != nil {
			t.Errorf("want the other sign-in left alone, got %v", err)
		}
	}
}

// silent blocks reads of ended sessions until released.
type silent struct {
	auth.Store
	asked  chan struct{}
	answer chan struct{}
}

func (s silent) EndedFamilies(ctx context.Context, since time.Time) ([]uuid.UUID, error) {
	s.asked <- struct{}{}
	<-s.answer
	return s.Store.EndedFamilies(ctx, since)
}

func TestNoRequestUsesSignInStateOlderThanASecond(t *testing.T) {
	t.Parallel()
	b := setup(t, 10)
	token := b.signIn(t).AccessToken
	slow := silent{b.store.Accounts, make(chan struct{}, 10), make(chan struct{}, 10)}
	other := auth.NewService(slow, b.secret, 10, b.now)
	slow.answer <- struct{}{}
	if _, err := other.ByAccessToken(t.Context(), token); err != nil {
		t.Fatal(err)
	}
	<-slow.asked
	disabled := true
	_, err := b.ChangeAccount(t.Context(), uuid.New(), b.account.ID, domain.AccountChange{Disabled: &disabled})
	must(t, err)
	b.ahead.Add(int64(time.Second))
	first := make(chan error)
	go func() { _, err := other.ByAccessToken(t.Context(), token); first <- err }()
	<-slow.asked
	impatient, leave := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer leave()
	if _, err := other.ByAccessToken(impatient, token); err == nil {
		t.Error("want the second request to wait for news as well")
	}
	slow.answer <- struct{}{}
	wantCode(t, <-first, domain.Unauthorized)
}

func TestASessionIsNoRefreshTokenAndARefreshTokenNoSession(t *testing.T) {
	t.Parallel()
	b := setup(t, 10)
	session, err := b.BeginSession(t.Context(), "ana@example.com", password, "192.0.2.1")
	must(t, err)
	if resumed, err := b.Resume(t.Context(), session); err != nil || resumed.Account.ID != b.account.ID {
		t.Errorf("want the session resumed, got %+v and %v", resumed, err)
	}
	_, err = b.Refresh(t.Context(), session)
	wantCode(t, err, domain.Unauthorized)
	refresh := b.signIn(t).RefreshToken
	_, err = b.Resume(t.Context(), refresh)
	wantCode(t, err, domain.Unauthorized)
	must(t, b.SignOut(t.Context(), session))
	if _, err := b.Resume(t.Context(), session); err != nil {
		t.Errorf("want the session kept when the API's sign-in ends, got %v", err)
	}
	must(t, b.EndSession(t.Context(), session))
	_, err = b.Resume(t.Context(), session)
	wantCode(t, err, domain.Unauthorized)
}

func TestAnAccessTokenIsGoodInTheFormInWhichItWasMade(t *testing.T) {
	t.Parallel()
	b := setup(t, 10)
	token := b.signIn(t).AccessToken
	const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
	last := strings.IndexByte(alphabet, token[len(token)-1]) // 32 bytes leave two of its bits unused
	for name, other := range map[string]string{
		"other bits at its end": token[:len(token)-1] + string(alphabet[last^1]),
		"padding":               token + "=",
		"a line's end":          token + "\n",
		"a line's end inside":   token[:10] + "\r\n" + token[10:],
	} {
		if _, err := b.ByAccessToken(t.Context(), other); domain.CodeOf(err) != domain.Unauthorized {
			t.Errorf("%s: want it refused, got %v", name, err)
		}
	}
}

func TestADisabledAccountHasNoValidToken(t *testing.T) {
	t.Parallel()
	b := setup(t, 10)
	reseller := domain.Account{ID: uuid.New(), Email: "shop@example.com", Role: domain.Reseller, PasswordHash: b.account.PasswordHash, CreatedAt: b.now()}
	must(t, b.store.Accounts.CreateAccount(t.Context(), reseller))
	made, text, err := auth.NewAPIToken(reseller.ID, domain.NewAPIToken{Name: "shop"}, b.now())
	must(t, err)
	must(t, b.store.Accounts.AddAPIToken(t.Context(), made, auth.HashToken(text), domain.Reseller))
	lock := func(disabled bool) {
		t.Helper()
		if _, err := b.ChangeAccount(t.Context(), b.account.ID, reseller.ID, domain.AccountChange{Disabled: &disabled}); err != nil {
			t.Fatal(err)
		}
	}
	lock(true)
	_, err = b.ByAPIToken(t.Context(), text)
	wantCode(t, err, domain.Unauthorized)
	lock(false)
	if _, err := b.ByAPIToken(t.Context(), text); err != nil {
		t.Errorf("want the token good again, got %v", err)
	}
}

// must ends the test on an error.
var must = errtest.Check
