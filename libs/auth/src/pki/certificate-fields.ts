import { createHash, type KeyObject, X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import { derChildren, derElements } from '../authn/der.ts';
import { bitString, der, objectId, octetString, sequence, set, utf8String, yes } from './der-writer.ts';
import type { CertificateRequest } from './pki-certificate.ts';

/** The algorithm of signatures with a key. */
export function signatureAlgorithm(key: KeyObject): Buffer {
  if (key.asymmetricKeyType === 'ec') return sequence(objectId('1.2.840.10045.4.3.2'));
  if (key.asymmetricKeyType === 'rsa') return sequence(objectId('1.2.840.113549.1.1.11'), der(0x05));
  throw new Error(`cannot sign certificates with a key of the type ${key.asymmetricKeyType}`);
}

/** The name of the subject: organizations, then the common name. */
export const subjectName = ({ commonName, organizations = [] }: CertificateRequest): Buffer =>
  sequence(
    ...organizations.map((organization) => attribute('2.5.4.10', organization)),
    attribute('2.5.4.3', commonName),
  );

const attribute = (id: string, value: string): Buffer => set(sequence(objectId(id), utf8String(value)));

/** Returns the subject of a certificate, and the identifier of its key. */
export function issuerOf(pem: string): { name: Buffer; keyId: Buffer } {
  const certificate = new X509Certificate(pem);
  const [toBeSigned] = derChildren(certificate.raw);
  const fields = derElements(toBeSigned?.content ?? Buffer.alloc(0));
  const afterVersion = fields[0]?.tag === 0xa0 ? 1 : 0;
  const extensions = fields.find(({ tag }) => tag === 0xa3);
  const known = extensions && derChildren(extensions.content).find(({ content }) => isKeyId(content));
  const value = known && derElements(known.content).at(-1)?.content;
  return {
    name: fields[afterVersion + 4]?.bytes ?? Buffer.alloc(0),
    // The octets of the extension are an octet string.
    keyId: value === undefined ? keyIdOf(certificate.publicKey) : value.subarray(2),
  };
}

const keyIdentifier = '2.5.29.14';
const isKeyId = (extension: Buffer): boolean => extension.subarray(0, 5).equals(objectId(keyIdentifier));

/** The identifier of RFC 5280, section 4.2.1.2: the SHA-1 of the public key. */
export function keyIdOf(key: KeyObject): Buffer {
  const [, bits] = derChildren(key.export({ type: 'spki', format: 'der' }));
  return createHash('sha1')
    .update(bits?.content.subarray(1) ?? Buffer.alloc(0))
    .digest();
}

/** The extensions of a certificate for a public key. */
export function extensionsOf(request: CertificateRequest, key: KeyObject, issuerKeyId?: Buffer): Buffer {
  const { subjectAltNames = [], usage } = request;
  return sequence(
    critical('2.5.29.19', usage === 'ca' ? sequence(yes) : sequence()),
    critical('2.5.29.15', keyUsage(usage, key)),
    ...(usage === 'ca' ? [] : [extension('2.5.29.37', sequence(objectId(extendedUsages[usage])))]),
    ...(subjectAltNames.length > 0
      ? [extension('2.5.29.17', sequence(...subjectAltNames.map(alternativeName)))]
      : []),
    extension(keyIdentifier, octetString(keyIdOf(key))),
    ...(issuerKeyId === undefined ? [] : [extension('2.5.29.35', sequence(der(0x80, issuerKeyId)))]),
  );
}

const extendedUsages = { server: '1.3.6.1.5.5.7.3.1', client: '1.3.6.1.5.5.7.3.2' };

const extension = (id: string, value: Buffer): Buffer => sequence(objectId(id), octetString(value));
const critical = (id: string, value: Buffer): Buffer => sequence(objectId(id), yes, octetString(value));

/** digitalSignature; for RSA, keyEncipherment; for CAs, keyCertSign. */
function keyUsage(usage: CertificateRequest['usage'], key: KeyObject): Buffer {
  const bits = 0x80 | (key.asymmetricKeyType === 'rsa' ? 0x20 : 0) | (usage === 'ca' ? 0x04 : 0);
  const unused = usage === 'ca' ? 2 : key.asymmetricKeyType === 'rsa' ? 5 : 7;
  return bitString(Buffer.from([bits]), unused);
}

function alternativeName(name: string): Buffer {
  return isIP(name) === 0 ? der(0x82, Buffer.from(name, 'latin1')) : der(0x87, addressBytes(name));
}

function addressBytes(address: string): Buffer {
  if (isIP(address) === 4) return Buffer.from(address.split('.').map(Number));
  // The URL parser writes all of its parts in hexadecimal.
  const [left = '', right] = new URL(`http://[${address}]`).hostname.slice(1, -1).split('::');
  const groups = (text = '') =>
    text === '' ? [] : text.split(':').map((group) => Number.parseInt(group, 16));
  const [before, after] = [groups(left), groups(right)];
  const zeros = right === undefined ? [] : Array.from({ length: 8 - before.length - after.length }, () => 0);
  return Buffer.from([...before, ...zeros, ...after].flatMap((group) => [group >> 8, group & 0xff]));
}
