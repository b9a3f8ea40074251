import forge from 'node-forge';
import { beforeAll, describe, expect, it } from 'vitest';
import { CredentialsError } from '../types.ts';
import { forgeKey } from './forge-key.fixture.ts';
import { credentialsOf } from './peers.fixture.ts';
import { x509Authenticator } from './x509-authenticator.ts';

const oids = { nameConstraints: '2.5.29.30' };
type Name = { type: number; value?: string; ip?: string };
const [email, dns, directory, uri, ip] = [1, 2, 4, 6, 7];

let key: forge.pki.rsa.KeyPair;
beforeAll(() => {
  key = forgeKey();
});

const { asn1 } = forge;
const element = (kind: number, constructed: boolean, value: string | forge.asn1.Asn1[]) =>
  asn1.create(asn1.Class.CONTEXT_SPECIFIC, kind, constructed, value);
const sequence = (value: forge.asn1.Asn1[]) =>
  asn1.create(asn1.Class.UNIVERSAL, asn1.Type.SEQUENCE, true, value);

/** Constraints: kind and bytes of each name. */
interface Constraints {
  permitted?: [kind: number | undefined, bytes: string][];
  excluded?: [kind: number | undefined, bytes: string][];
}

function extensionOf({ permitted, excluded }: Constraints): string {
  const tree = (tag: number, names: Constraints['permitted']) =>
    names
      ? [
          element(
            tag,
            true,
            names.map(([kind, bytes]) =>
              sequence([
                element(kind as number, kind === directory, kind === directory ? [sequence([])] : bytes),
              ]),
            ),
          ),
        ]
      : [];
  return asn1.toDer(sequence([...tree(0, permitted), ...tree(1, excluded)])).getBytes();
}

function certificate(subject: string, issuer: string, extensions: object[]): string {
  const made = forge.pki.createCertificate();
  made.publicKey = key.publicKey;
  made.serialNumber = '40';
  made.validity.notBefore = new Date(Date.now() - 3_600_000);
  made.validity.notAfter = new Date(Date.now() + 3_600_000);
  made.setSubject([{ shortName: 'CN', value: subject }]);
  made.setIssuer([{ shortName: 'CN', value: issuer }]);
  made.setExtensions(extensions);
  made.sign(key.privateKey, forge.md.sha256.create());
  return forge.pki.certificateToPem(made);
}

/** Returns whether a client with these names is accepted if its CA has these constraints. */
function isLetIn(constraints: Constraints, names: Name[], critical = true): boolean {
  const ca = certificate('ca', 'ca', [
    { name: 'basicConstraints', cA: true, critical: true },
    { id: oids.nameConstraints, critical, value: extensionOf(constraints) },
  ]);
  const leaf = certificate('bob', 'ca', [
    { name: 'extKeyUsage', clientAuth: true },
    ...(names.length > 0 ? [{ name: 'subjectAltName', altNames: names }] : []),
  ]);
  try {
    return x509Authenticator({ caPem: ca }).authenticate(credentialsOf([leaf])) !== undefined;
  } catch (error) {
    if (error instanceof CredentialsError) return false;
    throw error;
  }
}

const bytes = (...list: number[]) => String.fromCharCode(...list);

describe('a CA with name constraints', () => {
  const rows: [what: string, Constraints, Name[], letIn: boolean][] = [
    ['accepts a certificate without such a name', { permitted: [[dns, 'example.com']] }, [], true],
    [
      'accepts an allowed name',
      { permitted: [[dns, 'example.com']] },
      [{ type: 2, value: 'a.Example.com' }],
      true,
    ],
    [
      'accepts names of another kind',
      { permitted: [[dns, 'example.com']] },
      [{ type: 1, value: 'a@other' }],
      true,
    ],
    [
      'refuses another name',
      { permitted: [[dns, 'example.com']] },
      [{ type: 2, value: 'example.org' }],
      false,
    ],
    [
      'refuses a name that ends alike',
      { permitted: [[dns, 'example.com']] },
      [{ type: 2, value: 'badexample.com' }],
      false,
    ],
    [
      'refuses one bad name among good ones',
      { permitted: [[dns, 'example.com']] },
      [
        { type: 2, value: 'example.com' },
        { type: 2, value: 'x' },
      ],
      false,
    ],
    [
      'refuses a forbidden name',
      { excluded: [[dns, 'example.com']] },
      [{ type: 2, value: 'a.example.com' }],
      false,
    ],
    [
      'accepts a name outside of the excluded ones',
      { excluded: [[dns, 'a.example.com']] },
      [{ type: 2, value: 'b.example.com' }],
      true,
    ],
    [
      'refuses a name that is both permitted and excluded',
      { permitted: [[dns, 'com']], excluded: [[dns, 'example.com']] },
      [{ type: 2, value: 'example.com' }],
      false,
    ],
    [
      'knows mailboxes',
      { permitted: [[email, 'a@example.com']] },
      [{ type: 1, value: 'b@example.com' }],
      false,
    ],
    [
      'compares hosts of mailboxes',
      { permitted: [[email, 'example.com']] },
      [{ type: 1, value: 'b@example.com' }],
      true,
    ],
    [
      'compares domains of mailboxes',
      { permitted: [[email, '.example.com']] },
      [{ type: 1, value: 'b@example.com' }],
      false,
    ],
    [
      'knows URIs',
      { permitted: [[uri, 'example.com']] },
      [{ type: 6, value: 'spiffe://example.com/x' }],
      true,
    ],
    [
      'compares other URIs',
      { permitted: [[uri, 'example.com']] },
      [{ type: 6, value: 'spiffe://example.org/x' }],
      false,
    ],
    [
      'allows no address as a host',
      { permitted: [[uri, '']] },
      [{ type: 6, value: 'https://10.0.0.1/' }],
      false,
    ],
    [
      'compares addresses within a range',
      { permitted: [[ip, bytes(10, 0, 0, 0, 255, 0, 0, 0)]] },
      [{ type: 7, ip: '10.1.2.3' }],
      true,
    ],
    [
      'compares addresses out of range',
      { permitted: [[ip, bytes(10, 0, 0, 0, 255, 0, 0, 0)]] },
      [{ type: 7, ip: '11.1.2.3' }],
      false,
    ],
  ];
  it.each(rows)('%s', (_what, constraints, names, letIn) => {
    expect(isLetIn(constraints, names)).toBe(letIn);
  });

  it('is refused if it constrains unsupported kinds of names, and reports them as relevant', () => {
    const constraints = { permitted: [[directory, '']] } satisfies Constraints;
    expect(isLetIn(constraints, [])).toBe(false);
    expect(isLetIn(constraints, [], false)).toBe(true);
  });
});
