import { execFileSync } from 'node:child_process';
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findTool, tempFolder } from '@annex/testkit';
import { afterAll, describe, expect, it } from 'vitest';
import { createCA, issueServingCertificate, newPrivateKey, signCertificate } from './pki-certificate.ts';
import { rsaKey } from './rsa-key.fixture.ts';

const folder = tempFolder();
afterAll(() => folder[Symbol.dispose]());

const names = [
  'localhost',
  '*.example.com',
  '127.0.0.1',
  '::1',
  '2001:db8::8a2e:370:7334',
  '::ffff:192.0.2.1',
];

describe.each([
  ['a P-256 CA and a P-256 key', newPrivateKey, newPrivateKey],
  ['an RSA CA of an earlier version and a P-256 key', rsaKey, newPrivateKey],
  ['a P-256 CA and an RSA key', newPrivateKey, rsaKey],
])('a certificate of %s', (what, caKey, leafKey) => {
  it('has the names, the usages and the identifiers that verifiers require', async () => {
    const ca = await createCA('kübernetes-ca', { key: await caKey() });
    const server = { commonName: 'apiserver', subjectAltNames: names };
    const { cert, key } = await issueServingCertificate(ca, server, { key: await leafKey() });
    const [leaf, root] = [new X509Certificate(cert), new X509Certificate(ca.cert)];
    expect([root.ca, leaf.ca, leaf.issuer, root.subject]).toEqual([
      true,
      false,
      'CN=kübernetes-ca',
      'CN=kübernetes-ca',
    ]);
    expect(leaf.checkIssued(root) && leaf.verify(root.publicKey) && root.verify(root.publicKey)).toBe(true);
    expect(leaf.checkPrivateKey(createPrivateKey(key))).toBe(true);
    expect(leaf.keyUsage).toEqual(['1.3.6.1.5.5.7.3.1']);
    expect(leaf.subjectAltName).toBe(
      'DNS:localhost, DNS:*.example.com, IP Address:127.0.0.1, IP Address:0:0:0:0:0:0:0:1, ' +
        'IP Address:2001:DB8:0:0:0:8A2E:370:7334, IP Address:0:0:0:0:0:FFFF:C000:201',
    );
  });

  it.runIf(findTool('openssl'))('is valid for openssl, in its strict mode', async () => {
    const ca = await createCA('ca', { key: await caKey() });
    const server = { commonName: 'apiserver', subjectAltNames: names };
    const { cert } = await issueServingCertificate(ca, server, { key: await leafKey() });
    const [root, leaf] = ['ca.crt', 'leaf.crt'].map((name) => join(folder.path, `${what.length}-${name}`));
    writeFileSync(root!, ca.cert);
    writeFileSync(leaf!, cert);
    const args = ['verify', '-x509_strict', '-purpose', 'sslserver', '-CAfile', root!, leaf!];
    expect(execFileSync('openssl', args, { encoding: 'utf8' })).toBe(`${leaf}: OK\n`);
  });
});

it('writes times from 2050 on with four digits of the year', async () => {
  const period = { notBefore: Date.UTC(2049, 11, 31, 23, 59, 59), notAfter: Date.UTC(2050, 0, 1) };
  const cert = new X509Certificate(
    await signCertificate({ commonName: 'a', usage: 'client', ...period }, await newPrivateKey(), undefined),
  );
  expect([cert.validFrom, cert.validTo]).toEqual(['Dec 31 23:59:59 2049 GMT', 'Jan  1 00:00:00 2050 GMT']);
});
