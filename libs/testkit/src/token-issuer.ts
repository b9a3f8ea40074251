import { createHmac, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { createTestCA } from './certificates.ts';

/** Options of a token; by default it is signed with the current key of the issuer. */
export interface TokenOptions {
  /** `RS256` by default; `none` for no signature. */
  alg?: 'RS256' | 'ES256' | 'HS256' | 'none';
  /** The key ID in the header: by default that of the key, none if `null`. */
  kid?: string | null;
  /** Replaces the issuer's key: a private key, or the secret of HS256. */
  key?: KeyObject | string;
  /** Further fields of the header. */
  header?: Readonly<Record<string, unknown>>;
}

/** An issuer of OpenID Connect tokens on the loopback interface, with a separate CA. */
export interface TokenIssuer extends AsyncDisposable {
  readonly url: string;
  /** PEM of the CA of its certificate. */
  readonly ca: string;
  /** The paths that were requested so far. */
  readonly requested: string[];
  /** The public RSA key, PEM. */
  readonly publicKey: string;
  /** Creates a token; `iss`, `aud` (`annex`), `iat` and `exp` are filled in. */
  token(claims: Readonly<Record<string, unknown>>, options?: TokenOptions): string;
  /** Sets the response of a path. */
  serve(path: string, text: string, status?: number, headers?: Readonly<Record<string, string>>): void;
  /** Replaces the keys. */
  rotate(): void;
}

interface Keys {
  id: string;
  rsa: { privateKey: KeyObject; publicKey: KeyObject };
  ec: { privateKey: KeyObject; publicKey: KeyObject };
}

interface Served {
  text: string;
  status: number;
  headers: Readonly<Record<string, string>>;
}

const newKeys = (id: string): Keys => ({
  id,
  rsa: generateKeyPairSync('rsa', { modulusLength: 2048 }),
  ec: generateKeyPairSync('ec', { namedCurve: 'P-256' }),
});

const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');

/** Starts an issuer; `describe` changes its discovery document. */
export async function startTokenIssuer(
  describe: (document: Record<string, unknown>) => object = (document) => document,
): Promise<TokenIssuer> {
  const ca = createTestCA('issuer-ca');
  const { certificate, key } = ca.issue({ commonName: 'issuer', ipAddresses: ['127.0.0.1'] });
  const requested: string[] = [];
  let keys = newKeys('key-1');
  let url = '';
  const documents: Record<string, () => object> = {
    '/.well-known/openid-configuration': () => describe({ issuer: url, jwks_uri: `${url}/keys` }),
    '/keys': () => ({
      keys: [
        { ...keys.rsa.publicKey.export({ format: 'jwk' }), kid: keys.id, alg: 'RS256', use: 'sig' },
        { ...keys.ec.publicKey.export({ format: 'jwk' }), kid: `${keys.id}-ec`, use: 'sig' },
      ],
    }),
  };
  const served = new Map<string, Served>();
  const server = createServer({ cert: certificate, key }, (req, res) => {
    const path = req.url ?? '';
    const { authorization } = req.headers;
    requested.push(authorization === undefined ? path : `${path} ${authorization}`);
    const other = served.get(path);
    if (other !== undefined) {
      res.writeHead(other.status, other.headers);
      res.end(other.text);
      return;
    }
    const document = Object.hasOwn(documents, path) ? documents[path] : undefined;
    res.writeHead(document ? 200 : 404, { 'Content-Type': 'application/json' });
    res.end(JSON.stringify(document?.() ?? {}));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    ca: ca.certificate,
    requested,
    get publicKey() {
      return keys.rsa.publicKey.export({ type: 'spki', format: 'pem' }).toString();
    },
    token(claims, options) {
      const now = Math.floor(Date.now() / 1000);
      return signed({ iss: url, aud: 'annex', iat: now, exp: now + 600, ...claims }, keys, options);
    },
    serve(path, text, status = 200, headers = {}) {
      served.set(path, { text, status, headers });
    },
    rotate() {
      keys = newKeys(`key-${Number(keys.id.slice(4)) + 1}`);
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function signed(claims: object, keys: Keys, { alg = 'RS256', kid, key, header }: TokenOptions = {}): string {
  const id = kid === undefined ? `${keys.id}${alg === 'ES256' ? '-ec' : ''}` : kid;
  const content = `${encode({ alg, typ: 'JWT', ...(id === null ? {} : { kid: id }), ...header })}.${encode(claims)}`;
  return `${content}.${signature(content, alg, keys, key)}`;
}

function signature(
  content: string,
  alg: NonNullable<TokenOptions['alg']>,
  keys: Keys,
  key: TokenOptions['key'],
): string {
  if (alg === 'none') return '';
  if (alg === 'HS256') {
    return createHmac('sha256', typeof key === 'string' ? key : '')
      .update(content)
      .digest('base64url');
  }
  const own = alg === 'ES256' ? keys.ec.privateKey : keys.rsa.privateKey;
  const signing = key === undefined || typeof key === 'string' ? own : key;
  return sign('sha256', Buffer.from(content), { key: signing, dsaEncoding: 'ieee-p1363' }).toString(
    'base64url',
  );
}
