import { X509Certificate } from 'node:crypto';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { tempFolder } from '@annex/testkit';
import { expect, it } from 'vitest';
import { servingCertificate } from './serving-certificate.ts';

it('makes a certificate for the names, signed by the authority beside it, and keeps it', async () => {
  using folder = tempFolder();
  const source = { dir: join(folder.path, 'tls'), names: ['hello.hello.svc', '127.0.0.1'] };
  const { cert, key } = await servingCertificate(source);
  const made = new X509Certificate(cert);
  const authority = new X509Certificate(readFileSync(join(source.dir, 'ca.crt')));
  expect(made.subjectAltName).toBe('DNS:hello.hello.svc, IP Address:127.0.0.1');
  expect(made.verify(authority.publicKey)).toBe(true);
  expect(statSync(join(source.dir, 'tls.key')).mode & 0o777).toBe(0o600);
  expect(await servingCertificate(source)).toEqual({ cert, key });
});

it('makes another one where the names are others, or what is there is none', async () => {
  using folder = tempFolder();
  const dir = folder.path;
  const first = await servingCertificate({ dir, names: ['a.b.svc'] });
  const second = await servingCertificate({ dir, names: ['a.b.svc', 'c.d.svc'] });
  expect(second.cert).not.toBe(first.cert);
  writeFileSync(join(dir, 'tls.crt'), 'nonsense');
  expect((await servingCertificate({ dir, names: ['a.b.svc'] })).cert).toContain('BEGIN CERTIFICATE');
});

it('takes files that are there, and says which one is not', async () => {
  using folder = tempFolder();
  const file = (name: string) => join(folder.path, name);
  writeFileSync(file('a.crt'), 'certificate');
  await expect(servingCertificate({ certFile: file('a.crt'), keyFile: file('a.key') })).rejects.toMatchObject(
    {
      code: 'FILE_UNREADABLE',
      message: expect.stringContaining('a.key') as string,
    },
  );
});
