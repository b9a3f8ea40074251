import forge from 'node-forge';
import { beforeAll, expect, it } from 'vitest';
import { CredentialsError } from '../types.ts';
import { maxChainChecks, maxSentCertificates } from './certificate-chain.ts';
import { forgeKey } from './forge-key.fixture.ts';
import { credentialsOf } from './peers.fixture.ts';
import { x509Authenticator } from './x509-authenticator.ts';

let key: forge.pki.rsa.KeyPair;
beforeAll(() => {
  key = forgeKey();
});

let serial = 10;
function certificate(subject: string, issuer: string, extension: object): string {
  const made = forge.pki.createCertificate();
  made.publicKey = key.publicKey;
  made.serialNumber = String((serial += 1));
  made.validity.notBefore = new Date(Date.now() - 3_600_000);
  made.validity.notAfter = new Date(Date.now() + 3_600_000);
  made.setSubject([{ shortName: 'CN', value: subject }]);
  made.setIssuer([{ shortName: 'CN', value: issuer }]);
  made.setExtensions([extension]);
  made.sign(key.privateKey, forge.md.sha256.create());
  return forge.pki.certificateToPem(made);
}
const leaf = (issuer: string) => certificate('bob', issuer, { name: 'extKeyUsage', clientAuth: true });
const ca = (subject: string, issuer: string) =>
  certificate(subject, issuer, { name: 'basicConstraints', cA: true, critical: true });

/** Returns the name of the user that a chain authenticates, or the error. */
function userOf(chain: readonly string[]): string | undefined {
  try {
    const outcome = x509Authenticator({ caPem: ca('root', 'root') }).authenticate(credentialsOf(chain));
    return (outcome as { user: { name: string } } | undefined)?.user.name;
  } catch (error) {
    if (error instanceof CredentialsError) return error.message;
    throw error;
  }
}

it('an intermediate certificate behind maxSentCertificates is not used', () => {
  const others = (count: number) => Array.from({ length: count }, (_, i) => ca(`other${i}`, 'root'));
  const intermediate = ca('middle', 'root');
  expect(userOf([leaf('middle'), ...others(maxSentCertificates - 2), intermediate])).toBe('bob');
  expect(userOf([leaf('middle'), ...others(maxSentCertificates - 1), intermediate])).toContain(
    'certificate signed by unknown authority',
  );
});

it('the search for a chain ends after maxChainChecks', () => {
  expect(maxChainChecks).toBe(100);
  // Each certificate can be the issuer of each other one: 9! chains.
  const ring = Array.from({ length: maxSentCertificates - 1 }, () => ca('ring', 'ring'));
  expect(userOf([leaf('ring'), ...ring])).toContain('certificate signed by unknown authority');
});
