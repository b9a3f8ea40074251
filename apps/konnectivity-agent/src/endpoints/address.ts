import type { HostPort } from '@annex/runtime';
import { EndpointError } from './endpoint-error.ts';

/** Splits `host:port`. Throws EndpointError with Go's texts. */
export function splitAddress(address: string): HostPort {
  const colon = address.lastIndexOf(':');
  const isBracketed = address.startsWith('[');
  if (colon < 0 || (isBracketed && address[colon - 1] !== ']'))
    throw new EndpointError(`dial tcp: address ${address}: missing port in address`);
  const host = isBracketed ? address.slice(1, colon - 1) : address.slice(0, colon);
  if (!isBracketed && host.includes(':'))
    throw new EndpointError(`dial tcp: address ${address}: too many colons in address`);
  const text = address.slice(colon + 1);
  if (!/^\d+$/.test(text)) throw new EndpointError(`dial tcp: lookup tcp/${text}: unknown port`);
  const port = Number(text);
  if (port > 65_535) throw new EndpointError(`dial tcp: address ${text}: invalid port`);
  return { host, port };
}
