import { X509Certificate } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createLiveFiles, nullLogger } from '@annex/runtime';
import { createTestCA, tempFolder } from '@annex/testkit';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { type CertificateByName, openSniCertificates } from './sni-certificates.ts';

const folder = tempFolder();
const files = createLiveFiles(nullLogger, 20);
afterAll(() => {
  files.close();
  folder[Symbol.dispose]();
});
const ca = createTestCA('sni');

/** Writes a certificate, and returns the value of the option. */
function written(commonName: string, dnsNames: string[], names = ''): string {
  const { certificate, key } = ca.issue({ commonName, dnsNames });
  const [certFile, keyFile] = ['crt', 'key'].map((end) => join(folder.path, `${commonName}.${end}`));
  writeFileSync(certFile ?? '', certificate);
  writeFileSync(keyFile ?? '', key, { mode: 0o600 });
  return `${certFile},${keyFile}${names}`;
}

let byName: CertificateByName;
const nameFor = (serverName: string) => {
  const pair = byName(serverName);
  return pair && /CN=(.*)/.exec(new X509Certificate(pair.cert).subject)?.[1];
};

beforeAll(async () => {
  const options = [
    written('first.io', ['a.first.io', '*.wild.io']),
    written('second.io', ['a.first.io', 'b.second.io']),
    written('listed.io', ['not-used.io'], ':b.second.io,*.second.io,*'),
  ];
  byName = await openSniCertificates(options, files);
});

it.each<[what: string, serverName: string, certificate: string | undefined]>([
  ['a name of two certificates: the first option', 'a.first.io', 'first.io'],
  ['the common name', 'second.io', 'second.io'],
  ['a wildcard of a certificate', 'x.wild.io', 'first.io'],
  ['a wildcard for two labels', 'x.y.wild.io', undefined],
  ['a listed name before one of a certificate', 'b.second.io', 'listed.io'],
  ['a listed wildcard', 'c.second.io', 'listed.io'],
  ['a name of a certificate whose names are listed', 'not-used.io', 'listed.io'],
  ['a name of no certificate', 'not-known.io', undefined],
  ['capitals and a dot at the end', 'A.FIRST.io.', 'first.io'],
  ['a name without dots', 'localhost', 'listed.io'],
])('%s', (_, serverName, certificate) => {
  expect(nameFor(serverName)).toBe(certificate);
});

it('a changed file is used for new connections', async () => {
  const before = byName('second.io')?.cert;
  written('second.io', ['new.second.example']);
  await vi.waitFor(() => expect(nameFor('new.second.example')).toBe('second.io'), { timeout: 20_000 });
  expect(byName('second.io')?.cert).not.toBe(before);
});
