import { X509Certificate } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ensurePki, PkiError } from './pki.ts';

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'annex-pki-'));
});
afterEach(() => rm(dir, { recursive: true }));

const snapshot = async () => {
  const names = (await readdir(dir)).sort();
  return Object.fromEntries(
    await Promise.all(names.map(async (n) => [n, await readFile(join(dir, n), 'utf8')])),
  );
};

describe('ensurePki', () => {
  it('creates every file of kubeadm with keys that only the owner can read', async () => {
    const issued: string[] = [];
    await ensurePki(dir, { onIssued: (name, why) => issued.push(`${name} ${why}`) });
    expect((await readdir(dir)).sort()).toEqual([
      'admin.crt',
      'admin.key',
      'apiserver.crt',
      'apiserver.key',
      'ca.crt',
      'ca.key',
      'front-proxy-ca.crt',
      'front-proxy-ca.key',
      'front-proxy-client.crt',
      'front-proxy-client.key',
      'sa.key',
      'sa.pub',
    ]);
    expect(issued.sort()).toEqual([
      'admin missing',
      'apiserver missing',
      'ca missing',
      'front-proxy-ca missing',
      'front-proxy-client missing',
      'sa missing',
    ]);
    for (const name of await readdir(dir)) {
      const { mode } = await stat(join(dir, name));
      if (name.endsWith('.key')) expect(mode & 0o777, name).toBe(0o600);
    }
  });

  it('issues certificates with a chain to their CA and key usages', async () => {
    const pki = await ensurePki(dir, { subjectAltNames: ['10.0.0.1', 'api.example.com'] });
    const ca = new X509Certificate(pki.ca.cert);
    const serving = new X509Certificate(pki.apiserver.cert);
    const admin = new X509Certificate(pki.admin.cert);
    expect(serving.checkIssued(ca) && serving.verify(ca.publicKey)).toBe(true);
    for (const name of ['localhost', 'kubernetes.default.svc', 'api.example.com']) {
      expect(serving.checkHost(name), name).toBe(name);
    }
    for (const ip of ['127.0.0.1', '::1', '10.0.0.1']) expect(serving.checkIP(ip), ip).toBe(ip);
    expect(admin.subject).toBe('O=system:masters\nCN=admin');
    expect(admin.keyUsage).toEqual(['1.3.6.1.5.5.7.3.2']);
    expect(new X509Certificate(pki.frontProxyClient.cert).subject).toBe('CN=front-proxy-client');
    expect(ca.ca).toBe(true);
  });

  it('only reads existing files that are still valid', async () => {
    await ensurePki(dir);
    const before = await snapshot();
    const issued: string[] = [];
    await ensurePki(dir, { onIssued: (name) => issued.push(name) });
    expect(issued).toEqual([]);
    expect(await snapshot()).toEqual(before);
  });

  const changes: [string, () => Promise<unknown>, Parameters<typeof ensurePki>[1], string[]][] = [
    [
      'renews leaves that expire within a month',
      async () => {},
      { now: Date.now() + 340 * 86_400_000 },
      ['admin', 'apiserver', 'front-proxy-client'],
    ],
    [
      'issues the serving certificate again for a new address',
      async () => {},
      { subjectAltNames: ['192.0.2.7'] },
      ['apiserver'],
    ],
    ['certifies a key whose certificate is missing', () => rm(join(dir, 'admin.crt')), {}, ['admin']],
    [
      'follows a replaced CA',
      () => Promise.all([rm(join(dir, 'ca.crt')), rm(join(dir, 'ca.key'))]),
      {},
      ['admin', 'apiserver', 'ca'],
    ],
  ];
  it.each(changes)('%s', async (_, change, options, expected) => {
    await ensurePki(dir);
    await change();
    const issued: string[] = [];
    await ensurePki(dir, { ...options, onIssued: (name) => issued.push(name) });
    expect(issued.sort()).toEqual(expected);
  });

  it('works without the key of a CA if nothing must be issued', async () => {
    await ensurePki(dir);
    await rm(join(dir, 'ca.key'));
    expect((await ensurePki(dir)).ca.key).toBeUndefined();
    await rm(join(dir, 'admin.crt'));
    await expect(ensurePki(dir)).rejects.toThrow(PkiError);
  });

  it.each([
    ...['ca.crt', 'front-proxy-ca.crt', 'apiserver.crt'].map((file) => [file, 'is not a PEM certificate']),
    ...['ca.key', 'apiserver.key', 'sa.key'].map((file) => [file, 'is not a PEM private key']),
    ['sa.pub', 'is neither a PEM public key nor a certificate'],
  ])('names %s if it is unusable', async (file, text) => {
    await ensurePki(dir);
    await writeFile(join(dir, file), 'other');
    await expect(ensurePki(dir)).rejects.toThrow(new PkiError(`${join(dir, file)} ${text}`));
  });

  it.each(['ca.crt', 'sa.key'])('names %s if it cannot be read', async (file) => {
    await ensurePki(dir);
    await rm(join(dir, file));
    await mkdir(join(dir, file));
    await expect(ensurePki(dir)).rejects.toMatchObject({
      path: join(dir, file),
      message: `EISDIR: illegal operation on a directory, read '${join(dir, file)}'`,
    });
  });
});
