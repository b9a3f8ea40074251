import type { PeerCertificate } from 'node:tls';

/** A certificate in a trace; times are RFC 3339. */
export interface CertificateView {
  subject: string;
  issuer: string;
  notBefore: string;
  notAfter: string;
  sha256: string;
}

/** Converts a certificate for a trace. */
export const certificateView = (certificate: PeerCertificate): CertificateView => ({
  subject: nameText(certificate.subject),
  issuer: nameText(certificate.issuer),
  notBefore: new Date(certificate.valid_from).toISOString(),
  notAfter: new Date(certificate.valid_to).toISOString(),
  sha256: certificate.fingerprint256,
});

/** Formats a distinguished name on one line. */
const nameText = (name: object = {}): string =>
  Object.entries(name)
    .flatMap(([key, values]) => [values].flat().map((value) => `${key}=${value}`))
    .join(',');
