import { X509Certificate } from 'node:crypto';
import { readPem } from '@annex/machinery';

/** The certificates of a PEM text. Throws an Error where one cannot be read. */
export const certificatesOf = (pem: string): X509Certificate[] =>
  readPem(pem).flatMap(({ type, bytes }) => (type === 'CERTIFICATE' ? [new X509Certificate(bytes)] : []));

/** Why a certificate does not hold at a time; `undefined` where it does. */
export function outOfTime({ validFromDate, validToDate }: X509Certificate, now: number): string | undefined {
  if (validFromDate.getTime() > now) return `is not valid before ${validFromDate.toISOString()}`;
  if (validToDate.getTime() < now) return `expired at ${validToDate.toISOString()}`;
  return undefined;
}

/** The common name of a certificate. */
export const commonName = ({ subject }: X509Certificate): string => /^CN=(.*)$/m.exec(subject)?.[1] ?? '';

/** The DNS names and addresses of a certificate, as they stand in it. */
const alternativeNames = ({ subjectAltName }: X509Certificate): string => subjectAltName ?? '';

/** Why a server of that name may not show the certificate: Go's clients look at the alternative names alone. */
export function invalidName(certificate: X509Certificate, serverName: string): string | undefined {
  if (certificate.checkHost(serverName, { subject: 'never' }) !== undefined) return undefined;
  const names = alternativeNames(certificate);
  return names === ''
    ? `has no subject alternative names: its common name ${JSON.stringify(commonName(certificate))} counts for nothing`
    : `is for ${names}, not for ${serverName}`;
}

/** True where one of the authorities signed the certificate. */
export const signedBy = (certificate: X509Certificate, cas: readonly X509Certificate[]): boolean =>
  cas.some((ca) => certificate.checkIssued(ca) && certificate.verify(ca.publicKey));
