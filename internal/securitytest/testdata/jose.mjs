// A second implementation of JSON Web Signatures, on nothing but Node's crypto: reads a list of orders as JSON from standard input
// and writes the list of their results.
//
//   {do: "keys", alg}                        a new key pair: {private, public} as JWK
//   {do: "sign", alg, header, claims, key}   a compact token; key is a JWK, a PEM, or (HS256) any text; alg "none" signs nothing
//   {do: "verify", token, keys}              {valid, header, claims} by the key of the token's kid
import crypto from 'node:crypto';
import { readFileSync } from 'node:fs';

const encode = (value) => Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url');
const decode = (part) => JSON.parse(Buffer.from(part, 'base64url').toString());

const algorithms = {
  RS256: { hash: 'sha256', options: {}, make: ['rsa', { modulusLength: 2048 }] },
  PS256: {
    hash: 'sha256', make: ['rsa', { modulusLength: 2048 }],
    options: { padding: crypto.constants.RSA_PKCS1_PSS_PADDING, saltLength: crypto.constants.RSA_PSS_SALTLEN_DIGEST },
  },
  ES256: { hash: 'sha256', options: { dsaEncoding: 'ieee-p1363' }, make: ['ec', { namedCurve: 'P-256' }] },
  ES512: { hash: 'sha512', options: { dsaEncoding: 'ieee-p1363' }, make: ['ec', { namedCurve: 'P-521' }] },
  EdDSA: { hash: null, options: {}, make: ['ed25519', {}] },
};

const asKey = (key) => (typeof key === 'string' ? { key } : { key, format: 'jwk' });

function signature(alg, input, key) {
  if (alg === 'none') return '';
  if (alg === 'HS256') {
    const secret = typeof key === 'string' ? key : JSON.stringify(key);
    return crypto.createHmac('sha256', secret).update(input).digest('base64url');
  }
  const { hash, options } = algorithms[alg];
  return crypto.sign(hash, Buffer.from(input), { ...asKey(key), ...options }).toString('base64url');
}

const orders = {
  keys({ alg }) {
    const [kind, options] = algorithms[alg].make;
    const pair = crypto.generateKeyPairSync(kind, options);
    return { private: pair.privateKey.export({ format: 'jwk' }), public: pair.publicKey.export({ format: 'jwk' }) };
  },
  sign({ alg, header, claims, key }) {
    const input = `${encode({ alg, ...header })}.${encode(claims)}`;
    return `${input}.${signature(alg, input, key)}`;
  },
  verify({ token, keys }) {
    const [head, body, sig] = token.split('.');
    const header = decode(head);
    const { hash, options } = algorithms[header.alg];
    const key = crypto.createPublicKey(asKey(keys.find((k) => k.kid === header.kid)));
    const valid = crypto.verify(hash, Buffer.from(`${head}.${body}`), { key, ...options }, Buffer.from(sig, 'base64url'));
    return { valid, header, claims: decode(body) };
  },
};

const list = JSON.parse(readFileSync(0, 'utf8'));
process.stdout.write(JSON.stringify(list.map((order) => orders[order.do](order))));
