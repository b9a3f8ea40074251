import { X509Certificate } from 'node:crypto';
import { readPem } from '@annex/machinery';
import { type CertificateDetails, certificateDetails } from './certificate-details.ts';
import { forbiddenName } from './name-constraints.ts';

/** A certificate with a verified chain to a trusted CA. */
export interface VerifiedCertificate {
  leaf: X509Certificate;
  details: CertificateDetails;
}

/** The result of verifying the certificates of a connection. */
export interface Verdict {
  outcome: VerifiedCertificate | ChainError;
  /** The first and the last moment at which the result is valid, milliseconds since the epoch. */
  from: number;
  until: number;
}

/** The reason why no chain leads to a trusted CA. */
export class ChainError extends Error {
  override readonly name = 'ChainError';
}

interface Link {
  certificate: X509Certificate;
  details: CertificateDetails;
  notBefore: number;
  notAfter: number;
}

const clientAuth = '1.3.6.1.5.5.7.3.2';
const anyUsage = '2.5.29.37.0';
const brokenDigest = /md2|md4|md5|sha-?1(?!\d)/i;
/** Signature checks per chain search, as in Go: bounds the work that one client can cause. */
export const maxChainChecks = 100;
/** Certificates of a client that are used to verify its chain; further ones are ignored. */
export const maxSentCertificates = 10;

/** Verifies client certificates against a CA bundle, with the rules of Go's crypto/x509. */
export class ClientTrust {
  readonly #roots: Link[];

  /** Throws {@link ChainError} on a bundle without certificates. */
  constructor(bundle: string) {
    this.#roots = certificatesOf(bundle).map(link);
    if (this.#roots.length === 0) throw new ChainError('the bundle contains no PEM certificate');
  }

  /** `sent` is the leaf followed by the other certificates that the client sent. */
  check(sent: readonly Buffer[], now: number): Verdict {
    const links: Link[] = [];
    try {
      for (const raw of sent.slice(0, maxSentCertificates)) links.push(parse(raw));
      return { outcome: this.#verify(links, now), ...periodAround(now, [...links, ...this.#roots]) };
    } catch (error) {
      if (!(error instanceof ChainError)) throw error;
      return { outcome: error, ...periodAround(now, [...links, ...this.#roots]) };
    }
  }

  #verify(links: readonly Link[], now: number): VerifiedCertificate {
    const [leaf, ...intermediates] = links as [Link, ...Link[]];
    const search = new Search(this.#roots, intermediates, now);
    requireUsable(leaf, now);
    const chain = search.from(leaf, [leaf]);
    if (chain === undefined) throw new ChainError(search.error);
    return { leaf: leaf.certificate, details: leaf.details };
  }
}

class Search {
  error = 'certificate signed by unknown authority';
  readonly #roots: readonly Link[];
  readonly #intermediates: readonly Link[];
  readonly #now: number;
  #checks = 0;

  constructor(roots: readonly Link[], intermediates: readonly Link[], now: number) {
    this.#roots = roots;
    this.#intermediates = intermediates;
    this.#now = now;
  }

  from(child: Link, chain: readonly Link[]): Link[] | undefined {
    if (this.#roots.some((root) => root.certificate.raw.equals(child.certificate.raw))) return [...chain];
    for (const [parents, trusted] of [
      [this.#roots, true],
      [this.#intermediates, false],
    ] as const) {
      for (const parent of parents) {
        if (chain.includes(parent) || !this.#issued(chain, parent)) continue;
        const longer = [...chain, parent];
        const found = trusted ? longer : this.from(parent, longer);
        if (found !== undefined) return found;
      }
    }
    return undefined;
  }

  #issued(chain: readonly Link[], parent: Link): boolean {
    const child = chain.at(-1) as Link;
    if (!child.certificate.checkIssued(parent.certificate) || ++this.#checks > maxChainChecks) return false;
    try {
      requireUsable(parent, this.#now);
      requireCA(parent, chain.length - 1);
      requireNames(chain, parent);
      requireSignature(child, parent);
      return true;
    } catch (error) {
      if (!(error instanceof ChainError)) throw error;
      this.error = error.message;
      return false;
    }
  }
}

function requireUsable(link: Link, now: number): void {
  if (now < link.notBefore)
    throw new ChainError(`certificate is not yet valid before ${link.certificate.validFrom}`);
  if (now > link.notAfter) throw new ChainError(`certificate has expired on ${link.certificate.validTo}`);
  if (link.details.unknownCritical.length > 0)
    throw new ChainError('certificate has an unhandled critical extension');
  const usages = link.certificate.keyUsage as string[] | undefined;
  if (usages !== undefined && !usages.includes(clientAuth) && !usages.includes(anyUsage)) {
    throw new ChainError('certificate specifies an incompatible key usage');
  }
}

function requireCA({ certificate, details }: Link, casBelow: number): void {
  if (!certificate.ca) throw new ChainError('certificate is not authorized to sign other certificates');
  if (details.pathLength !== undefined && casBelow > details.pathLength) {
    throw new ChainError('too many intermediates for path length constraint');
  }
}

function requireNames(chain: readonly Link[], { details }: Link): void {
  const { constraints } = details;
  if (constraints === undefined) return;
  const found = chain.map((link) => forbiddenName(link.details.names, constraints)).find(Boolean);
  if (found !== undefined) {
    throw new ChainError(
      `a root or intermediate certificate is not authorized to sign for this ${found.kind} name`,
    );
  }
}

function requireSignature(child: Link, parent: Link): void {
  const algorithm = (child.certificate as { signatureAlgorithm?: string }).signatureAlgorithm ?? '';
  if (brokenDigest.test(algorithm)) throw new ChainError(`insecure signature algorithm ${algorithm}`);
  if (!child.certificate.verify(parent.certificate.publicKey))
    throw new ChainError('certificate signature is invalid');
}

function parse(raw: Buffer): Link {
  try {
    return link(new X509Certificate(raw));
  } catch {
    throw new ChainError('certificate cannot be parsed');
  }
}

/** Returns the period around `now` in which the validity of none of the certificates changes. */
function periodAround(now: number, links: readonly Link[]): Pick<Verdict, 'from' | 'until'> {
  // A certificate is still valid at the moment of its end.
  const begins = links.flatMap(({ notBefore, notAfter }) => [notBefore, notAfter + 1]);
  return {
    from: Math.max(...begins.filter((at) => at <= now)),
    until: Math.min(...begins.filter((at) => at > now)) - 1,
  };
}

const link = (certificate: X509Certificate): Link => ({
  certificate,
  details: certificateDetails(certificate),
  notBefore: certificate.validFromDate.getTime(),
  notAfter: certificate.validToDate.getTime(),
});

/** Throws {@link ChainError} on a bundle without a CA certificate. */
export const requireCAs = (bundle: string): void => void new ClientTrust(bundle);

/** True if two bundles have a certificate in common. */
export const shareCA = (a: string, b: string): boolean =>
  certificatesOf(a).some((one) => certificatesOf(b).some((other) => one.raw.equals(other.raw)));

/** Parses the certificates of a PEM bundle. */
export const certificatesOf = (bundle: string): X509Certificate[] =>
  readPem(bundle).flatMap(({ type, hasHeaders, bytes }) =>
    type === 'CERTIFICATE' && !hasHeaders ? [new X509Certificate(bytes)] : [],
  );
