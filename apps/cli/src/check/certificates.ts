import { X509Certificate } from 'node:crypto';

const begin = '-----BEGIN CERTIFICATE-----';
const end = '-----END CERTIFICATE-----';

/** The certificates of a PEM text. Throws an Error where one cannot be read. */
export function certificatesOf(pem: string): X509Certificate[] {
  const found: X509Certificate[] = [];
  for (let at = pem.indexOf(begin); at >= 0; at = pem.indexOf(begin, at + 1)) {
    const stop = pem.indexOf(end, at);
    found.push(new X509Certificate(pem.slice(at, stop < 0 ? undefined : stop + end.length)));
  }
  return found;
}

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
export function wrongName(certificate: X509Certificate, serverName: string): string | undefined {
  if (certificate.checkHost(serverName, { subject: 'never' }) !== undefined) return undefined;
  const names = alternativeNames(certificate);
  return names === ''
    ? `has no subject alternative names: its common name ${JSON.stringify(commonName(certificate))} counts for nothing`
    : `is for ${names}, not for ${serverName}`;
}

/** True where one of the authorities signed the certificate. */
export const signedBy = (certificate: X509Certificate, authorities: readonly X509Certificate[]): boolean =>
  authorities.some(
    (authority) => certificate.checkIssued(authority) && certificate.verify(authority.publicKey),
  );
