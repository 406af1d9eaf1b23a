package auth

import (
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"fmt"
	"time"

	"github.com/go-jose/go-jose/v4"
)

// How signing keys live. A new key is shown for keyLead before it signs, so that whoever caches the key set has it by then.
// The one before it is retired a while after it signed last, and forgotten when every token it signed has ended.
const (
	keyBits    = 2048
	keyLife    = 90 * 24 * time.Hour
	keyLead    = time.Hour
	keyRetire  = 24 * time.Hour
	keyForget  = MaxTokenTTL + 24*time.Hour
	pemPrivate = "PRIVATE KEY"
	pemPublic  = "PUBLIC KEY"
)

// signingAlgorithm is what the built-in issuer signs with.
const signingAlgorithm = jose.RS256

// signingKey is one key of the built-in issuer; private is nil once it is retired.
type signingKey struct {
	kid     string
	public  *rsa.PublicKey
	private *rsa.PrivateKey
	created time.Time
}

// newStoredKey makes a key named by its thumbprint.
func newStoredKey(now time.Time) (StoredKey, error) {
	private, err := rsa.GenerateKey(rand.Reader, keyBits)
	if err != nil {
		return StoredKey{}, err
	}
	der, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		return StoredKey{}, err
	}
	jwk := jose.JSONWebKey{Key: &private.PublicKey}
	sum, err := jwk.Thumbprint(crypto.SHA256)
	if err != nil {
		return StoredKey{}, err
	}
	text := pem.EncodeToMemory(&pem.Block{Type: pemPrivate, Bytes: der})
	return StoredKey{KID: base64.RawURLEncoding.EncodeToString(sum), PEM: string(text), Created: now}, nil
}

// retire returns the key without its private part.
func (k StoredKey) retire() (StoredKey, error) {
	key, err := k.parse()
	if err != nil {
		return k, err
	}
	der, err := x509.MarshalPKIXPublicKey(key.public)
	if err != nil {
		return k, err
	}
	k.PEM = string(pem.EncodeToMemory(&pem.Block{Type: pemPublic, Bytes: der}))
	k.Retired = true
	return k, nil
}

func (k StoredKey) parse() (*signingKey, error) {
	block, _ := pem.Decode([]byte(k.PEM))
	if block == nil {
		return nil, fmt.Errorf("signing key %s is not PEM", k.KID)
	}
	out := &signingKey{kid: k.KID, created: k.Created}
	var parsed any
	var err error
	if block.Type == pemPrivate {
		parsed, err = x509.ParsePKCS8PrivateKey(block.Bytes)
	} else {
		parsed, err = x509.ParsePKIXPublicKey(block.Bytes)
	}
	switch key := parsed.(type) {
	case *rsa.PrivateKey:
		out.private, out.public = key, &key.PublicKey
	case *rsa.PublicKey:
		out.public = key
	default:
		return nil, fmt.Errorf("signing key %s is no RSA key: %w", k.KID, err)
	}
	return out, nil
}

// chooseSigner picks the key to sign with: the newest that has been shown long enough, else the oldest.
func chooseSigner(keys []*signingKey, now time.Time) *signingKey {
	var chosen *signingKey
	for _, k := range keys {
		if k.private == nil {
			continue
		}
		chosen = k
		if now.Sub(k.created) >= keyLead {
			break
		}
	}
	return chosen
}
