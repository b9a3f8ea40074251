import type { HostPort } from '@annex/runtime';
import { EndpointError } from './endpoint-error.ts';

const highestPort = 65_535;

/** The names of ports that Go knows without `/etc/services`. */
const services = new Map([
  ['domain', 53],
  ['ftp', 21],
  ['ftps', 990],
  ['gopher', 70],
  ['http', 80],
  ['https', 443],
  ['imap2', 143],
  ['imap3', 220],
  ['imaps', 993],
  ['pop3', 110],
  ['pop3s', 995],
  ['smtp', 25],
  ['submissions', 465],
  ['ssh', 22],
  ['telnet', 23],
]);

/** Splits `host:port` as Go does. Throws EndpointError with Go's texts. */
export function splitAddress(address: string): HostPort {
  if (address === '') throw new EndpointError('dial tcp: missing address');
  const { host, port } = splitPort(address);
  return { host, port: portOf(port) };
}

function splitPort(address: string): { host: string; port: string } {
  const colon = address.lastIndexOf(':');
  const isBracketed = address.startsWith('[');
  const end = isBracketed ? address.indexOf(']') : colon;
  const host = isBracketed ? address.slice(1, end) : address.slice(0, colon);
  const rest = isBracketed ? address.slice(end + 1) : address;
  const problem =
    portProblem(address, { colon, end, isBracketed }) ??
    bracketProblem(isBracketed ? address.slice(1) : address, rest);
  if (problem !== undefined) throw new EndpointError(`dial tcp: address ${address}: ${problem}`);
  return { host, port: address.slice(colon + 1) };
}

function portProblem(
  address: string,
  { colon, end, isBracketed }: { colon: number; end: number; isBracketed: boolean },
): string | undefined {
  if (colon < 0) return 'missing port in address';
  if (!isBracketed) return address.slice(0, colon).includes(':') ? 'too many colons in address' : undefined;
  if (end < 0) return "missing ']' in address";
  if (end + 1 === colon) return undefined;
  return address[end + 1] === ':' ? 'too many colons in address' : 'missing port in address';
}

function bracketProblem(afterOpening: string, afterClosing: string): string | undefined {
  if (afterOpening.includes('[')) return "unexpected '[' in address";
  return afterClosing.includes(']') ? "unexpected ']' in address" : undefined;
}

function portOf(text: string): number {
  const digits = text.startsWith('+') || text.startsWith('-') ? text.slice(1) : text;
  const port = /^\d*$/.test(digits) ? Number(digits) : services.get(text.toLowerCase());
  if (port === undefined) throw new EndpointError(`dial tcp: lookup tcp/${text}: unknown port`);
  if (port > highestPort || (port > 0 && text.startsWith('-')))
    throw new EndpointError(`dial tcp: address ${text}: invalid port`);
  return port;
}
