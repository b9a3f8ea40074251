import type { X509Certificate } from 'node:crypto';
import { derChildren, derElements } from './der.ts';
import {
  alternativeNames,
  type GeneralName,
  type NameConstraints,
  nameConstraints,
} from './name-constraints.ts';

/** The details of a certificate that verification needs and Node's `X509Certificate` does not expose. */
export interface CertificateDetails {
  /** The number of CAs allowed between this one and a leaf; `undefined` is unlimited. */
  pathLength: number | undefined;
  /** Critical extensions that are not supported, as hex object identifiers. */
  unknownCritical: string[];
  /** The names that a CA may certify; `undefined` if it may certify every name. */
  constraints: NameConstraints | undefined;
  /** The alternative names that constraints apply to. */
  names: readonly GeneralName[];
  /** The values of the subject's user id attribute, which Kubernetes registered. */
  uids: string[];
}

const basicConstraints = '551d13';
const nameConstraintsId = '551d1e';
const alternativeNamesId = '551d11';
/** The supported extensions: key usage, alternative names, basic and name constraints, extended key usage. */
const supportedExtensions = new Set(['551d0f', alternativeNamesId, basicConstraints, '551d25']);
/** 1.3.6.1.4.1.57683.2, https://kubernetes.io/docs/reference/access-authn-authz/authentication/#x509-client-certificates */
const userId = '2b0601040183c25302';

const tags = {
  boolean: 0x01,
  integer: 0x02,
  octetString: 0x04,
  objectId: 0x06,
  sequence: 0x30,
  version: 0xa0,
  extensions: 0xa3,
};

/** Reads the details of a certificate. Throws `RangeError` on bytes that are not a certificate. */
export function certificateDetails(certificate: X509Certificate): CertificateDetails {
  const [toBeSigned] = derChildren(certificate.raw);
  const fields = derElements(toBeSigned?.content ?? Buffer.alloc(0));
  // version is optional; serial, signature, issuer and validity precede the subject.
  const subject = fields[(fields[0]?.tag === tags.version ? 1 : 0) + 4];
  const wrapped = fields.find((field) => field.tag === tags.extensions);
  const extensions =
    wrapped === undefined ? [] : derChildren(wrapped.content).map((e) => extension(e.content));
  const valueOf = (id: string) => extensions.find((e) => e.id === id)?.value;
  const basic = valueOf(basicConstraints);
  const named = valueOf(nameConstraintsId);
  const constraints = named && nameConstraints(named);
  const alternatives = valueOf(alternativeNamesId);
  const isUnknown = ({ id }: { id: string }) =>
    !supportedExtensions.has(id) && !(id === nameConstraintsId && constraints?.isComplete);
  return {
    pathLength: basic && pathLength(basic),
    unknownCritical: extensions.filter((e) => e.critical && isUnknown(e)).map((e) => e.id),
    constraints,
    names: alternatives === undefined ? [] : alternativeNames(alternatives),
    uids: subject === undefined ? [] : userIds(subject.content),
  };
}

function extension(content: Buffer): { id: string; critical: boolean; value: Buffer } {
  const parts = derElements(content);
  const critical = parts.find((part) => part.tag === tags.boolean);
  return {
    id: parts[0]?.content.toString('hex') ?? '',
    critical: critical !== undefined && critical.content[0] !== 0,
    value: parts.find((part) => part.tag === tags.octetString)?.content ?? Buffer.alloc(0),
  };
}

function pathLength(value: Buffer): number | undefined {
  const length = derChildren(value).find((part) => part.tag === tags.integer);
  return length === undefined ? undefined : Number(BigInt(`0x${length.content.toString('hex') || '0'}`));
}

function userIds(subject: Buffer): string[] {
  return derElements(subject)
    .flatMap((set) => derElements(set.content))
    .map((attribute) => derElements(attribute.content))
    .filter(([type]) => type?.content.toString('hex') === userId)
    .map(([, value]) => value?.content.toString('utf8') ?? '');
}
