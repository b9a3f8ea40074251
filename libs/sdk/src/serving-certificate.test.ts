import { X509Certificate } from 'node:crypto';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { issueServingCertificate, createCA } from '@annex/auth';
import { createLiveFiles } from '@annex/runtime';
import { tempFolder } from '@annex/testkit';
import { afterAll, expect, it, vi } from 'vitest';
import { type CertificateSource, servingCertificate } from './serving-certificate.ts';

const files = createLiveFiles({ info: () => {}, warn: () => {} }, 20);
afterAll(() => files.close());
const open = async (source: CertificateSource) => (await servingCertificate(source, files)).current();

it('creates a certificate for the names, signed by the CA beside it, and keeps it', async () => {
  using folder = tempFolder();
  const source = { dir: join(folder.path, 'tls'), names: ['hello.hello.svc', '127.0.0.1'] };
  const { cert, key } = await open(source);
  const made = new X509Certificate(cert);
  const ca = new X509Certificate(readFileSync(join(source.dir, 'ca.crt')));
  expect(made.subjectAltName).toBe('DNS:hello.hello.svc, IP Address:127.0.0.1');
  expect(made.verify(ca.publicKey)).toBe(true);
  expect(statSync(join(source.dir, 'tls.key')).mode & 0o777).toBe(0o600);
  expect(await open(source)).toEqual({ cert, key });
});

it('creates another one for other names or an invalid file', async () => {
  using folder = tempFolder();
  const dir = folder.path;
  const first = await open({ dir, names: ['a.b.svc'] });
  const second = await open({ dir, names: ['a.b.svc', 'c.d.svc'] });
  expect(second.cert).not.toBe(first.cert);
  writeFileSync(join(dir, 'tls.crt'), 'nonsense');
  expect((await open({ dir, names: ['a.b.svc'] })).cert).toContain('BEGIN CERTIFICATE');
});

it('uses existing files, and reports a missing one', async () => {
  using folder = tempFolder();
  const file = (name: string) => join(folder.path, name);
  writeFileSync(file('a.crt'), (await createCA('a')).cert);
  await expect(open({ certFile: file('a.crt'), keyFile: file('a.key') })).rejects.toMatchObject({
    code: 'FILE_UNREADABLE',
    message: expect.stringContaining('a.key') as string,
  });
});

it('presents another one when its files have changed and match', async () => {
  using folder = tempFolder();
  const [certFile, keyFile] = [join(folder.path, 'tls.crt'), join(folder.path, 'tls.key')];
  const ca = await createCA('ca');
  const issue = () => issueServingCertificate(ca, { commonName: 'a', subjectAltNames: ['a'] });
  const [first, second] = await Promise.all([issue(), issue()]);
  writeFileSync(certFile, first.cert);
  writeFileSync(keyFile, first.key);
  const live = await servingCertificate({ certFile, keyFile }, files);
  expect(live.current()).toEqual(first);
  const changed = vi.fn();
  live.onChange(changed);
  writeFileSync(certFile, second.cert);
  writeFileSync(keyFile, second.key);
  await vi.waitFor(() => expect(changed).toHaveBeenCalledOnce(), { timeout: 20_000 });
  expect(live.current()).toEqual(second);
});
