import { isIP } from 'node:net';
import type { FieldPath } from '@annex/machinery';
import { type FieldError, fieldErrors, IpAddress } from '@annex/machinery';

const { invalid } = fieldErrors;

const malformed = 'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)';

type Bytes = readonly number[];
const isIPv6Loopback = (bytes: Bytes) => bytes.every((byte, i) => byte === (i === 15 ? 1 : 0));

/** Addresses that receive no traffic, with the names of Go's `net.IP` and the messages of kube-apiserver. */
const refused: readonly (readonly [isOne: (bytes: Bytes) => boolean, message: (text: string) => string])[] = [
  [(bytes) => bytes.every((byte) => byte === 0), (text) => `may not be unspecified (${text})`],
  [
    (bytes) => (bytes.length === 4 ? bytes[0] === 127 : isIPv6Loopback(bytes)),
    () => 'may not be in the loopback range (127.0.0.0/8, ::1/128)',
  ],
  [
    ([a = 0, b = 0, ...rest]) =>
      rest.length === 2 ? a === 169 && b === 254 : a === 0xfe && (b & 0xc0) === 0x80,
    () => 'may not be in the link-local range (169.254.0.0/16, fe80::/10)',
  ],
  [
    ([a = 0, b = 0, ...rest]) =>
      rest.length === 2 ? a === 224 && b === 0 && rest[0] === 0 : a === 0xff && (b & 0x0f) === 0x02,
    () => 'may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)',
  ],
];

/** Parses an address as Go does: `::ffff:1.2.3.4` is an IPv4 address. */
function bytesOf(text: string): Bytes {
  const address = IpAddress.parse(text);
  return address.isMapped ? address.bytes.slice(12) : address.bytes;
}

/** IPv4 addresses that are valid and not refused: an EndpointSlice can have 100,000 of them. */
const ordinaryIPv4 =
  /^(?!0\.0\.0\.0$|127\.|169\.254\.|224\.0\.0\.)(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?:\.(?!$)|$)){4}$/;
const none: FieldError[] = [];

/**
 * Validates an address that receives traffic: of endpoints, or an external address of a Service. Rejects every notation of loopback,
 * link-local and unspecified addresses.
 */
export function endpointIpErrors(text: string, at: FieldPath, family?: 4 | 6): FieldError[] {
  if (family !== 6 && ordinaryIPv4.test(text)) return none;
  // Go's net.ParseIP accepts no zones.
  if (isIP(text) === 0 || text.includes('%')) return [invalid(at, text, malformed)];
  const bytes = bytesOf(text);
  const isOfFamily = family === undefined || (bytes.length === 4) === (family === 4);
  return [
    ...(isOfFamily ? [] : [invalid(at, text, `must be an IPv${family} address`)]),
    ...refused.filter(([isOne]) => isOne(bytes)).map(([, message]) => invalid(at, text, message(text))),
  ];
}
