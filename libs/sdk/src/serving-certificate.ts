import { X509Certificate } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type CertificateAndKey, issueServingCertificate, createCA } from '@annex/auth';
import { fixedKeyPair, type LiveFiles, type LiveKeyPair, openKeyPair, OperatorError } from '@annex/runtime';

/** The certificate of a server: PEM texts, existing files, or a folder in which they are created. */
export type CertificateSource =
  | CertificateAndKey
  | { certFile: string; keyFile: string }
  | {
      /** The folder of `tls.crt`, `tls.key` and the `ca.crt` that signed them. */
      dir: string;
      /** The names of the server, `<service>.<namespace>.svc` first. */
      names: readonly string[];
    };

const month = 30 * 24 * 3600 * 1000;

/**
 * Reads the certificate, or creates it if it is missing, expires soon or has other names. Files are read
 * again when they change. Throws OperatorError FILE_UNREADABLE.
 */
export async function servingCertificate(source: CertificateSource, files: LiveFiles): Promise<LiveKeyPair> {
  if ('cert' in source) return fixedKeyPair(source);
  if ('certFile' in source) return await openKeyPair(files, source.certFile, source.keyFile);
  const { dir, names } = source;
  const [certFile, keyFile] = [join(dir, 'tls.crt'), join(dir, 'tls.key')];
  const [cert, key] = await Promise.all([certFile, keyFile].map(readIfPresent));
  if (!cert || !key || !isUsable(cert, names)) await createCertificate(dir, names);
  return await openKeyPair(files, certFile, keyFile);
}

function isUsable(pem: string, names: readonly string[]): boolean {
  try {
    const certificate = new X509Certificate(pem);
    const covers = (name: string) => certificate.checkHost(name) ?? certificate.checkIP(name);
    return Date.parse(certificate.validTo) > Date.now() + month && names.every((name) => covers(name));
  } catch {
    return false;
  }
}

async function createCertificate(dir: string, names: readonly string[]): Promise<void> {
  const commonName = names[0] ?? 'localhost';
  try {
    await mkdir(dir, { recursive: true, mode: 0o700 });
    const ca = await createCA(`${commonName}-ca`);
    const issued = await issueServingCertificate(ca, { commonName, subjectAltNames: names });
    // The key of the CA is not stored: it signs nothing else.
    await writeFile(join(dir, 'ca.crt'), ca.cert);
    await writeFile(join(dir, 'tls.key'), issued.key, { mode: 0o600 });
    await writeFile(join(dir, 'tls.crt'), issued.cert);
  } catch (cause) {
    throw new OperatorError('FILE_UNREADABLE', `cannot use ${dir}: ${(cause as Error).message}`, { cause });
  }
}

const readIfPresent = (file: string): Promise<string | undefined> =>
  readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw new OperatorError('FILE_UNREADABLE', `cannot read ${file}: ${error.message}`, { cause: error });
  });
