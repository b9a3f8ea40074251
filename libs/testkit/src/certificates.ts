import {
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  createPrivateKey,
  randomBytes,
  sign,
  X509Certificate,
} from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import forge from 'node-forge';

/** A certificate and its private key, both PEM. */
export interface Credential {
  certificate: string;
  key: string;
}

/** The subject and the validity of a certificate. */
export interface CertificateRequest {
  commonName: string;
  organizations?: readonly string[];
  /** DNS names and IP addresses of a server. Without them and `server`, it is a client certificate. */
  dnsNames?: readonly string[];
  ipAddresses?: readonly string[];
  server?: boolean;
  /** The validity; by default from an hour ago until in a day. */
  notBefore?: Date;
  notAfter?: Date;
}

/** A certificate authority for tests. */
export interface TestCA {
  /** PEM. */
  readonly certificate: string;
  readonly key: string;
  issue(request: CertificateRequest): Credential;
}

interface Signer {
  /** PEM. */
  certificate: string;
  commonName: string;
  key: KeyObject;
}

// Key generation is slow, and these keys need not be secret: all certificates of a test process share two
// keys.
const sharedKeys = new Map<'ca' | 'leaf', KeyObject>();

function sharedKey(use: 'ca' | 'leaf'): KeyObject {
  const key = sharedKeys.get(use) ?? generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;
  sharedKeys.set(use, key);
  return key;
}

const hour = 3_600_000;

/** Creates a new CA. */
export function createTestCA(commonName: string): TestCA {
  const key = sharedKey('ca');
  const certificate = draft(
    key,
    commonName,
    [],
    new Date(Date.now() - hour),
    new Date(Date.now() + 87_600 * hour),
  );
  certificate.setIssuer(certificate.subject.attributes);
  certificate.setExtensions([
    { name: 'basicConstraints', cA: true, critical: true },
    { name: 'keyUsage', digitalSignature: true, keyCertSign: true, cRLSign: true, critical: true },
    { name: 'subjectKeyIdentifier' },
  ]);
  signCertificate(certificate, key);
  return testCAOf({ certificate: forge.pki.certificateToPem(certificate), commonName, key });
}

/** Loads the CA, of which only the common name is set, from `name.crt` and `name.key` in a folder, as kubeadm names them. */
export function loadTestCA(folder: string, name = 'ca'): TestCA {
  const read = (extension: string) => readFileSync(join(folder, `${name}.${extension}`), 'utf8');
  const certificate = read('crt');
  const commonName = new X509Certificate(certificate).subject.replace(/^CN=/, '');
  return testCAOf({ certificate, commonName, key: createPrivateKey(read('key')) });
}

function testCAOf(signer: Signer): TestCA {
  return {
    certificate: signer.certificate,
    key: exportKey(signer.key),
    issue: (request) => issue(signer, request),
  };
}

function issue(signer: Signer, request: CertificateRequest): Credential {
  const { commonName, organizations = [], dnsNames = [], ipAddresses = [] } = request;
  const key = sharedKey('leaf');
  const notBefore = request.notBefore ?? new Date(Date.now() - hour);
  const notAfter = request.notAfter ?? new Date(Date.now() + 24 * hour);
  const certificate = draft(key, commonName, organizations, notBefore, notAfter);
  certificate.setIssuer([commonNameOf(signer.commonName)]);
  const names = [
    ...dnsNames.map((value) => ({ type: 2, value })),
    ...ipAddresses.map((ip) => ({ type: 7, ip })),
  ];
  const server = request.server ?? names.length > 0;
  certificate.setExtensions([
    { name: 'keyUsage', digitalSignature: true, keyEncipherment: true, critical: true },
    { name: 'extKeyUsage', serverAuth: server, clientAuth: !server },
    ...(names.length > 0 ? [{ name: 'subjectAltName', altNames: names }] : []),
  ]);
  signCertificate(certificate, signer.key);
  return { certificate: forge.pki.certificateToPem(certificate), key: exportKey(key) };
}

function draft(
  key: KeyObject,
  commonName: string,
  organizations: readonly string[],
  notBefore: Date,
  notAfter: Date,
): forge.pki.Certificate {
  const certificate = forge.pki.createCertificate();
  const spki = createPublicKey(key).export({ type: 'spki', format: 'pem' }) as string;
  certificate.publicKey = forge.pki.publicKeyFromPem(spki);
  // A first byte without its highest bit makes the number positive, in the shortest form.
  certificate.serialNumber = `40${randomBytes(15).toString('hex')}`;
  certificate.validity.notBefore = notBefore;
  certificate.validity.notAfter = notAfter;
  certificate.setSubject([
    ...organizations.map((value) => ({ shortName: 'O', value, valueTagClass: utf8String })),
    commonNameOf(commonName),
  ]);
  return certificate;
}

const commonNameOf = (value: string) => ({ shortName: 'CN', value, valueTagClass: utf8String });

// The types of node-forge require its Class here; the code reads the type of the string.
const utf8String = forge.asn1.Type.UTF8 as unknown as forge.asn1.Class;

// Missing in the types of node-forge.
const { getTBSCertificate } = forge.pki as unknown as {
  getTBSCertificate(certificate: forge.pki.Certificate): forge.asn1.Asn1;
};

// Signs with Node, which is much faster than node-forge and supports all types of keys.
function signCertificate(certificate: forge.pki.Certificate, key: KeyObject): void {
  const oid =
    key.asymmetricKeyType === 'ec'
      ? '1.2.840.10045.4.3.2'
      : (forge.pki.oids.sha256WithRSAEncryption as string);
  certificate.signatureOid = oid;
  certificate.siginfo.algorithmOid = oid;
  const der = forge.asn1.toDer(getTBSCertificate(certificate)).getBytes();
  certificate.signature = sign('sha256', Buffer.from(der, 'binary'), key).toString('binary');
}

const exportKey = (key: KeyObject): string => key.export({ type: 'pkcs8', format: 'pem' }) as string;
