import { X509Certificate } from 'node:crypto';
import { readPem } from '@annex/machinery';

/** Returns the certificates of a PEM text. Throws an Error if one cannot be parsed. */
export const certificatesOf = (pem: string): X509Certificate[] =>
  readPem(pem).flatMap(({ type, bytes }) => (type === 'CERTIFICATE' ? [new X509Certificate(bytes)] : []));

/** Returns why a certificate is not valid at a time; `undefined` if it is valid. */
export function validityError(
  { validFromDate, validToDate }: X509Certificate,
  now: number,
): string | undefined {
  if (validFromDate.getTime() > now) return `is not valid before ${validFromDate.toISOString()}`;
  if (validToDate.getTime() < now) return `expired at ${validToDate.toISOString()}`;
  return undefined;
}

/** Returns the common name of a certificate. */
export const commonName = ({ subject }: X509Certificate): string => /^CN=(.*)$/m.exec(subject)?.[1] ?? '';

/** Returns the DNS names and IP addresses of a certificate, in its order. */
const alternativeNames = ({ subjectAltName }: X509Certificate): string => subjectAltName ?? '';

/** Returns why the certificate is not valid for the server name. Go's clients read the subject alternative names only. */
export function nameError(certificate: X509Certificate, serverName: string): string | undefined {
  if (certificate.checkHost(serverName, { subject: 'never' }) !== undefined) return undefined;
  const names = alternativeNames(certificate);
  return names === ''
    ? `has no subject alternative names: its common name ${JSON.stringify(commonName(certificate))} is ignored`
    : `is for ${names}, not for ${serverName}`;
}

/** True if one of the CAs signed the certificate. */
export const signedBy = (certificate: X509Certificate, cas: readonly X509Certificate[]): boolean =>
  cas.some((ca) => certificate.checkIssued(ca) && certificate.verify(ca.publicKey));
