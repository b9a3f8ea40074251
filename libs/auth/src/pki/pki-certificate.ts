import { createPrivateKey, createPublicKey, generateKeyPair, randomBytes, sign } from 'node:crypto';
import { promisify } from 'node:util';
import { extensionsOf, issuerOf, signatureAlgorithm, subjectName } from './certificate-fields.ts';
import { bitString, der, integer, sequence, time } from './der-writer.ts';

/** A certificate and its private key, both PEM. */
export interface CertificateAndKey {
  cert: string;
  key: string;
}

/** The content of a certificate to issue. */
export interface CertificateRequest {
  commonName: string;
  organizations?: readonly string[];
  usage: 'ca' | 'client' | 'server';
  /** DNS names and IP addresses. */
  subjectAltNames?: readonly string[];
  /** Milliseconds since the epoch. */
  notBefore: number;
  notAfter: number;
}

/** The user and the groups of a client certificate. */
export interface ClientIdentity {
  user: string;
  groups?: readonly string[];
}

export const day = 24 * 60 * 60 * 1000;
/** Clocks of clients may be behind this one. */
const clockSkew = 5 * 60 * 1000;

const generate = promisify(generateKeyPair);

/** Generates a P-256 private key as SEC 1 PEM, as kubeadm writes them, outside of the main thread. */
export async function newPrivateKey(): Promise<string> {
  const { privateKey } = await generate('ec', { namedCurve: 'P-256' });
  return privateKey.export({ type: 'sec1', format: 'pem' }) as string;
}

/**
 * Generates an RSA private key as PKCS#1 PEM, outside of the main thread. Tokens are signed by RS256, which kubeadm's clusters use, and
 * which every verifier of OpenID Connect has to support.
 */
export async function newTokenKey(): Promise<string> {
  const { privateKey } = await generate('rsa', { modulusLength: 2048 });
  return privateKey.export({ type: 'pkcs1', format: 'pem' }) as string;
}

/** Signs a certificate for the public key of `key`, EC or RSA; self-signed without an issuer. RFC 5280. */
export async function signCertificate(
  request: CertificateRequest,
  key: string,
  issuer: CertificateAndKey | undefined,
): Promise<string> {
  const publicKey = createPublicKey(key);
  const signer = createPrivateKey(issuer?.key ?? key);
  const algorithm = signatureAlgorithm(signer);
  const parent = issuer && issuerOf(issuer.cert);
  const subject = subjectName(request);
  const toBeSigned = sequence(
    // Version 3.
    der(0xa0, integer(Buffer.from([2]))),
    integer(serialNumber()),
    algorithm,
    parent?.name ?? subject,
    sequence(time(request.notBefore), time(request.notAfter)),
    subject,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, extensionsOf(request, publicKey, parent?.keyId)),
  );
  const signed = sequence(toBeSigned, algorithm, bitString(sign('sha256', toBeSigned, signer)));
  return pemOf(signed);
}

/** Returns sixteen bytes that are a positive number in the shortest encoding, as DER requires. */
function serialNumber(): Buffer {
  const bytes = randomBytes(16);
  bytes.writeUInt8((bytes.readUInt8(0) & 0x3f) | 0x40, 0);
  return bytes;
}

function pemOf(certificate: Buffer): string {
  const text = certificate.toString('base64');
  const lines = Array.from({ length: Math.ceil(text.length / 64) }, (_, i) =>
    text.slice(64 * i, 64 * (i + 1)),
  );
  return ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n');
}

/** Returns the public key of a PEM private key as SPKI PEM. */
export function publicKeyOf(key: string): string {
  return createPublicKey(key).export({ type: 'spki', format: 'pem' }) as string;
}

interface IssueOptions {
  days?: number;
  now?: number;
  /** The private key to certify, PEM; default: a new key. */
  key?: string;
}

/** Issues a certificate that authenticates `user` with `groups` to a server that trusts `ca`. */
export function issueClientCertificate(
  ca: CertificateAndKey,
  identity: ClientIdentity,
  options: IssueOptions = {},
): Promise<CertificateAndKey> {
  const { user: commonName, groups: organizations = [] } = identity;
  return issue(ca, { commonName, organizations, usage: 'client' }, options);
}

/** Issues a serving certificate for these DNS names and IP addresses. */
export function issueServingCertificate(
  ca: CertificateAndKey,
  server: { commonName: string; subjectAltNames: readonly string[] },
  options: IssueOptions = {},
): Promise<CertificateAndKey> {
  return issue(ca, { ...server, usage: 'server' }, options);
}

async function issue(
  ca: CertificateAndKey,
  request: Omit<CertificateRequest, 'notBefore' | 'notAfter'>,
  { days = 365, now = Date.now(), key }: IssueOptions,
): Promise<CertificateAndKey> {
  const used = key ?? (await newPrivateKey());
  const period = { notBefore: now - clockSkew, notAfter: now + days * day };
  return { cert: await signCertificate({ ...request, ...period }, used, ca), key: used };
}

/** Creates a self-signed CA. */
export async function createCA(
  commonName: string,
  { days = 3650, now = Date.now(), key }: IssueOptions = {},
): Promise<CertificateAndKey> {
  const used = key ?? (await newPrivateKey());
  const period = { notBefore: now - clockSkew, notAfter: now + days * day };
  return { cert: await signCertificate({ commonName, usage: 'ca', ...period }, used, undefined), key: used };
}
