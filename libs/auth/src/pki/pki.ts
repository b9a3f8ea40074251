import { createPrivateKey, createPublicKey, X509Certificate } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { isIP } from 'node:net';
import { join } from 'node:path';
import {
  type CertificateAndKey,
  day,
  issueClientCertificate,
  issueServingCertificate,
  createCA,
  newPrivateKey,
  newTokenKey,
  publicKeyOf,
} from './pki-certificate.ts';
import { OperatorError } from '@annex/runtime';
import { readFileIfPresent, writeFileAtomically } from './pki-files.ts';

/** A certificate with its key, and their files. */
export interface PkiPair extends CertificateAndKey {
  certFile: string;
  keyFile: string;
}

/** A CA; without a key it is trusted but cannot issue certificates. */
export interface PkiCA {
  cert: string;
  key: string | undefined;
  certFile: string;
  keyFile: string;
}

/** The certificates of a server with their keys; the files are named as kubeadm names them. */
export interface PkiCertificates {
  ca: PkiCA;
  frontProxyCa: PkiCA;
  apiserver: PkiPair;
  frontProxyClient: PkiPair;
  admin: PkiPair;
}

/** The key pair of service-account tokens, and its files. */
export interface TokenKey {
  key: string;
  publicKey: string;
  keyFile: string;
  publicKeyFile: string;
}

/** All key files of a server. */
export interface PkiFiles extends PkiCertificates {
  serviceAccount: TokenKey;
}

export interface PkiOptions {
  /** Further names and addresses of the server: bind address, first address of the service range, … */
  subjectAltNames?: readonly string[];
  /** Milliseconds since the epoch. */
  now?: number;
  /** False for files that are removed at the end: nothing waits for the disk. Default true. */
  durable?: boolean;
  /** Called with every file that is created or renewed, and the reason. */
  onIssued?: (name: string, why: string) => void;
}

/** A key file exists but cannot be used. */
export class PkiError extends OperatorError {
  constructor(message: string) {
    super('PKI_UNUSABLE', message);
    this.name = 'PkiError';
  }
}

const serverNames = [
  'localhost',
  'kubernetes',
  'kubernetes.default',
  'kubernetes.default.svc',
  'kubernetes.default.svc.cluster.local',
  '127.0.0.1',
  '::1',
];

/** Leaf certificates with less remaining time are renewed when the server starts. */
const renewBefore = 30 * day;

/**
 * Creates the missing keys and certificates of the server in a directory, renews leaf certificates that
 * expire soon, and reads the rest. Throws {@link PkiError} if a file exists but cannot be used.
 */
export async function ensurePki(dir: string, options: PkiOptions = {}): Promise<PkiFiles> {
  const [certificates, serviceAccount] = await Promise.all([
    ensureCertificates(dir, options),
    ensureTokenKey(dir, options),
  ]);
  return { ...certificates, serviceAccount };
}

/** Does what {@link ensurePki} does for everything but the key of service-account tokens. */
export async function ensureCertificates(dir: string, options: PkiOptions = {}): Promise<PkiCertificates> {
  const context = await openContext(dir, options);
  const names = [...new Set([...serverNames, ...(options.subjectAltNames ?? [])])];
  const ca = ensureCA(context, 'ca', 'kubernetes-ca');
  const frontProxyCa = ensureCA(context, 'front-proxy-ca', 'front-proxy-ca');
  // Each certificate awaits its CA later, after reading its files.
  for (const issuer of [ca, frontProxyCa]) issuer.catch(() => {});
  const leaf = (name: string, issuer: Promise<PkiCA>, issue: Issue, sans: string[] = []) =>
    ensureLeaf(context, name, issuer, issue, sans);
  const client = (identity: { user: string; groups?: string[] }): Issue => {
    return (issuer, key) => issueClientCertificate(issuer, identity, { now: context.now, key });
  };
  const [apiserver, frontProxyClient, admin] = await Promise.all([
    leaf('apiserver', ca, (issuer, key) => issueApiserver(issuer, key, names, context.now), names),
    leaf('front-proxy-client', frontProxyCa, client({ user: 'front-proxy-client' })),
    leaf('admin', ca, client({ user: 'admin', groups: ['system:masters'] })),
  ]);
  return { ca: await ca, frontProxyCa: await frontProxyCa, apiserver, frontProxyClient, admin };
}

/** Creates the directory if it is missing. */
export async function openContext(
  dir: string,
  { now = Date.now(), durable = true, onIssued = () => {} }: PkiOptions,
): Promise<Context> {
  await mkdir(dir, { recursive: true, mode: 0o700 });
  return { dir, now, durable, onIssued };
}

/** The directory and the time of issued files. */
export interface Context {
  dir: string;
  now: number;
  durable: boolean;
  onIssued: (name: string, why: string) => void;
}

type Issue = (issuer: CertificateAndKey, key: string) => Promise<CertificateAndKey>;

const issueApiserver = (issuer: CertificateAndKey, key: string, subjectAltNames: string[], now: number) =>
  issueServingCertificate(issuer, { commonName: 'kube-apiserver', subjectAltNames }, { now, key });

async function readPair(dir: string, name: string) {
  const certFile = join(dir, `${name}.crt`);
  const keyFile = join(dir, `${name}.key`);
  const [cert, key] = await Promise.all([readFileIfPresent(certFile), readFileIfPresent(keyFile)]);
  return { cert, key, certFile, keyFile };
}

// The key is written first: after a crash between the two writes, the next start issues a certificate for it.
async function writePair(
  files: { certFile: string; keyFile: string },
  made: CertificateAndKey,
  context?: Pick<Context, 'durable'>,
): Promise<PkiPair> {
  await writeFileAtomically(files.keyFile, made.key, 0o600, context);
  await writeFileAtomically(files.certFile, made.cert, 0o644, context);
  return { ...made, certFile: files.certFile, keyFile: files.keyFile };
}

/** Reads a CA, or creates it. */
export async function ensureCA(context: Context, name: string, commonName: string): Promise<PkiCA> {
  const files = await readPair(context.dir, name);
  if (files.cert === undefined) {
    context.onIssued(name, 'missing');
    const options = { now: context.now, key: files.key ?? (await newPrivateKey()) };
    return writePair(files, await createCA(commonName, options), context);
  }
  const cert = parseCertificate(files.certFile, files.cert);
  if (Date.parse(cert.validTo) <= context.now) {
    throw new PkiError(
      `${files.certFile} expired on ${cert.validTo}: remove ${name}.crt, ${name}.key and the certificates that it signed`,
    );
  }
  if (files.key !== undefined && !isKeyOf(cert, files.keyFile, files.key)) {
    throw new PkiError(`${files.keyFile} is not the key of ${files.certFile}`);
  }
  return { ...files, cert: files.cert };
}

/** Reads a certificate, or issues it if it is missing, expires soon, or does not match the request. */
export async function ensureLeaf(
  context: Context,
  name: string,
  ca: Promise<PkiCA>,
  issue: Issue,
  subjectAltNames: readonly string[],
): Promise<PkiPair> {
  const files = await readPair(context.dir, name);
  // Starts before the CA is ready, so that keys are generated concurrently.
  const newKey = files.key === undefined ? newPrivateKey() : undefined;
  newKey?.catch(() => {});
  const issuer = await ca;
  const why = reasonToIssue(files, issuer, context.now, subjectAltNames);
  if (why === undefined) return files as PkiPair;
  if (issuer.key === undefined) {
    throw new PkiError(`${files.certFile}: ${why}, and ${issuer.keyFile} is missing, so it cannot be issued`);
  }
  context.onIssued(name, why);
  const key = files.key ?? ((await newKey) as string);
  return writePair(files, await issue({ cert: issuer.cert, key: issuer.key }, key), context);
}

function reasonToIssue(
  files: { cert?: string; key?: string; certFile: string; keyFile: string },
  issuer: PkiCA,
  now: number,
  subjectAltNames: readonly string[],
): string | undefined {
  if (files.cert === undefined || files.key === undefined) return 'missing';
  const cert = parseCertificate(files.certFile, files.cert);
  if (!isKeyOf(cert, files.keyFile, files.key)) return 'the key changed';
  if (!cert.verify(new X509Certificate(issuer.cert).publicKey)) return 'the CA changed';
  if (Date.parse(cert.validTo) - now < renewBefore) return `it expires on ${cert.validTo}`;
  const missing = subjectAltNames.find((name) => !covers(cert, name));
  return missing === undefined ? undefined : `it does not name ${missing}`;
}

const covers = (cert: X509Certificate, name: string): boolean =>
  (isIP(name) ? cert.checkIP(name) : cert.checkHost(name, { subject: 'never' })) !== undefined;

function parseCertificate(file: string, pem: string): X509Certificate {
  try {
    return new X509Certificate(pem);
  } catch {
    throw new PkiError(`${file} is not a PEM certificate`);
  }
}

function isKeyOf(cert: X509Certificate, keyFile: string, pem: string): boolean {
  try {
    return cert.checkPrivateKey(createPrivateKey(pem));
  } catch {
    throw new PkiError(`${keyFile} is not a PEM private key`);
  }
}

/**
 * Reads the key of service-account tokens, or creates it, which takes longer than everything else of a first start. Throws
 * {@link PkiError}.
 */
export async function ensureTokenKey(dir: string, options: PkiOptions = {}): Promise<TokenKey> {
  const context = await openContext(dir, options);
  const keyFile = join(context.dir, 'sa.key');
  const publicKeyFile = join(context.dir, 'sa.pub');
  const [key, publicKey] = await Promise.all([readFileIfPresent(keyFile), readFileIfPresent(publicKeyFile)]);
  if (key !== undefined) requireKey(createPrivateKey, key, `${keyFile} is not a PEM private key`);
  if (publicKey !== undefined) {
    requireKey(createPublicKey, publicKey, `${publicKeyFile} is neither a PEM public key nor a certificate`);
  }
  if (key !== undefined && publicKey !== undefined) return { key, publicKey, keyFile, publicKeyFile };
  if (key === undefined && publicKey !== undefined) {
    throw new PkiError(`${keyFile} is missing, and ${publicKeyFile} cannot be used without it`);
  }
  context.onIssued('sa', 'missing');
  const made = key ?? (await newTokenKey());
  if (key === undefined) await writeFileAtomically(keyFile, made, 0o600, context);
  const madePublic = publicKeyOf(made);
  await writeFileAtomically(publicKeyFile, madePublic, 0o644, context);
  return { key: made, publicKey: madePublic, keyFile, publicKeyFile };
}

function requireKey(parse: (pem: string) => unknown, pem: string, otherwise: string): void {
  try {
    parse(pem);
  } catch {
    throw new PkiError(otherwise);
  }
}

/** Writes a certificate and its key into a directory as `<name>.crt` and `<name>.key`, each atomically. */
export async function writeCertificate(dir: string, name: string, made: CertificateAndKey): Promise<PkiPair> {
  await mkdir(dir, { recursive: true, mode: 0o700 });
  return writePair({ certFile: join(dir, `${name}.crt`), keyFile: join(dir, `${name}.key`) }, made);
}
