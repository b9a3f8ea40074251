import {
  createPrivateKey,
  createPublicKey,
  generateKeyPair,
  type KeyObject,
  randomBytes,
  sign,
} from 'node:crypto';
import { isIP } from 'node:net';
import { promisify } from 'node:util';
import type forgeModule from 'node-forge';

type Forge = typeof forgeModule;
/** Missing in the type declarations. */
type WithTbs = Forge['pki'] & {
  getTBSCertificate(certificate: forgeModule.pki.Certificate): forgeModule.asn1.Asn1;
};

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

let loading: Promise<Forge> | undefined;
// node-forge takes 30 ms to load; a start that finds its certificates never needs it.
const loadForge = (): Promise<Forge> => (loading ??= import('node-forge').then((module) => module.default));

const generate = promisify(generateKeyPair);

/** Generates an RSA 2048 private key as PKCS #1 PEM, outside of the main thread. */
export async function newPrivateKey(): Promise<string> {
  const { privateKey } = await generate('rsa', { modulusLength: 2048 });
  return privateKey.export({ type: 'pkcs1', format: 'pem' }) as string;
}

/** Signs a certificate for the public key of `key`; self-signed without an issuer. */
export async function signCertificate(
  request: CertificateRequest,
  key: string,
  issuer: CertificateAndKey | undefined,
): Promise<string> {
  const forge = await loadForge();
  const certificate = forge.pki.createCertificate();
  certificate.publicKey = forge.pki.publicKeyFromPem(publicKeyOf(key));
  certificate.serialNumber = serialNumber();
  certificate.validity.notBefore = new Date(request.notBefore);
  certificate.validity.notAfter = new Date(request.notAfter);
  certificate.setSubject(subject(forge, request));
  const parent = issuer && forge.pki.certificateFromPem(issuer.cert);
  certificate.setIssuer(parent ? parent.subject.attributes : certificate.subject.attributes);
  certificate.setExtensions([
    ...extensions(request),
    { name: 'subjectKeyIdentifier' },
    ...(parent ? [caKey(parent)] : []),
  ]);
  return certificatePem(forge, certificate, createPrivateKey(issuer?.key ?? key));
}

/** Returns sixteen bytes that are a positive number in the shortest encoding, as DER requires. */
function serialNumber(): string {
  const bytes = randomBytes(16);
  bytes.writeUInt8((bytes.readUInt8(0) & 0x3f) | 0x40, 0);
  return bytes.toString('hex');
}

/** Returns the public key of a PEM private key as SPKI PEM. */
export function publicKeyOf(key: string): string {
  return createPublicKey(key).export({ type: 'spki', format: 'pem' }) as string;
}

function subject(forge: Forge, request: CertificateRequest): forgeModule.pki.CertificateField[] {
  // PrintableString, forge's default, does not allow `@`, `*` or anything beyond ASCII.
  const valueTagClass = forge.asn1.Type.UTF8 as unknown as forgeModule.asn1.Class;
  const organizations = (request.organizations ?? []).map((value) => ({
    name: 'organizationName',
    value,
    valueTagClass,
  }));
  return [...organizations, { name: 'commonName', value: request.commonName, valueTagClass }];
}

const usages = {
  ca: [
    { name: 'basicConstraints', cA: true, critical: true },
    { name: 'keyUsage', critical: true, digitalSignature: true, keyEncipherment: true, keyCertSign: true },
  ],
  client: [
    { name: 'basicConstraints', cA: false, critical: true },
    { name: 'keyUsage', critical: true, digitalSignature: true, keyEncipherment: true },
    { name: 'extKeyUsage', clientAuth: true },
  ],
  server: [
    { name: 'basicConstraints', cA: false, critical: true },
    { name: 'keyUsage', critical: true, digitalSignature: true, keyEncipherment: true },
    { name: 'extKeyUsage', serverAuth: true },
  ],
};

function extensions(request: CertificateRequest): object[] {
  const altNames = (request.subjectAltNames ?? []).map((name) =>
    isIP(name) ? { type: 7, ip: name } : { type: 2, value: name },
  );
  return [...usages[request.usage], ...(altNames.length > 0 ? [{ name: 'subjectAltName', altNames }] : [])];
}

function caKey(parent: forgeModule.pki.Certificate): object {
  return { name: 'authorityKeyIdentifier', keyIdentifier: parent.generateSubjectKeyIdentifier().getBytes() };
}

// Node signs in 1 ms, forge's JavaScript in 30 ms, so forge only builds the structure.
function certificatePem(forge: Forge, certificate: forgeModule.pki.Certificate, signer: KeyObject): string {
  const sha256WithRsa = forge.pki.oids.sha256WithRSAEncryption as string;
  certificate.signatureOid = sha256WithRsa;
  certificate.siginfo.algorithmOid = sha256WithRsa;
  const toBeSigned = forge.asn1.toDer((forge.pki as WithTbs).getTBSCertificate(certificate)).getBytes();
  certificate.signature = sign('sha256', Buffer.from(toBeSigned, 'latin1'), signer).toString('latin1');
  return forge.pki.certificateToPem(certificate).replaceAll('\r\n', '\n');
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
