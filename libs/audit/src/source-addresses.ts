import type { IncomingMessage } from 'node:http';
import { isIP, type Socket } from 'node:net';

/** What the addresses of a request are read from. */
export interface AddressedRequest {
  readonly headers: IncomingMessage['headers'];
  readonly socket: Pick<Socket, 'remoteAddress'> | undefined;
}

/**
 * Returns the source addresses of a request, the client first: the headers `X-Forwarded-For` and `X-Real-Ip`,
 * and the address of the connection, which is the only trustworthy one.
 */
export function sourceAddresses({ headers, socket }: AddressedRequest): string[] {
  const found = String(headers['x-forwarded-for'] ?? '')
    .split(',')
    .flatMap((part) => address(part.trim()) ?? []);
  const real = address(String(headers['x-real-ip'] ?? ''));
  if (real !== undefined && !found.includes(real)) found.push(real);
  const remote = address(socket?.remoteAddress ?? '');
  if (remote !== undefined && found.at(-1) !== remote) found.push(remote);
  return found;
}

function address(text: string): string | undefined {
  // Go prints IPv4-mapped addresses as IPv4.
  const plain = text.replace(/^::ffff:(\d+\.)/i, '$1');
  return isIP(plain) === 0 || plain.includes('%') ? undefined : plain;
}
