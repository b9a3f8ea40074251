import type { Buffer } from 'node:buffer';
import { isIPv6 } from 'node:net';
import { isHostHeader } from '@annex/runtime';
import { maxAddressBytes } from '../limits.ts';

/** The request of an API server: kube-apiserver sends these two lines and nothing else. */
const [beforeAddress, beforeHost, afterHost] = ['CONNECT ', ' HTTP/1.1\r\nHost: ', '\r\n\r\n'] as const;

/** The words of the request, its address, and a host that is as long. */
const plainRequestBytes = 2 * maxAddressBytes;

/** A CONNECT request that needs no parser. */
export interface PlainConnect {
  address: string;
  /** Bytes of the request. */
  length: number;
}

/** Reads a CONNECT request as API servers send it; undefined for everything else, which needs a parser. */
export function readPlainConnect(bytes: Buffer): PlainConnect | undefined {
  const text = bytes.toString('latin1', 0, plainRequestBytes);
  const addressEnd = text.indexOf(beforeHost);
  const hostStart = addressEnd + beforeHost.length;
  const hostEnd = text.indexOf(afterHost, hostStart);
  if (addressEnd < 0 || hostEnd < 0 || !text.startsWith(beforeAddress)) return undefined;
  const address = text.slice(beforeAddress.length, addressEnd);
  const isPlain = isVisible(address) && isHostHeader(text.slice(hostStart, hostEnd)) && isAuthority(address);
  if (!isPlain || address.length > maxAddressBytes) return undefined;
  return { address, length: hostEnd + afterHost.length };
}

/** Characters that Go's URLs have in no host, or only escaped. */
const noHostCharacters = new Set(':[]/?#@%^`{|}\\');

/** Whether a target is a host with a port in digits, or without a port. As in Go, an IPv6 address is in brackets, and has no zone. */
export function isAuthority(target: string): boolean {
  const end = target.startsWith('[') ? target.indexOf(']') + 1 : target.lastIndexOf(':');
  const host = end < 0 ? target : target.slice(0, end);
  const port = end < 0 ? '' : target.slice(end);
  if (port !== '' && !(port.startsWith(':') && isWithin(port.slice(1), '0', '9'))) return false;
  if (!host.startsWith('[')) return Array.from(host).every((character) => !noHostCharacters.has(character));
  return isIPv6(host.slice(1, -1)) && !host.includes('%');
}

/** No space and no control character: the request has one line for each of its parts. */
const isVisible = (text: string): boolean => text !== '' && isWithin(text, '!', '~');

const isWithin = (text: string, first: string, last: string): boolean =>
  Array.from(text).every((character) => character >= first && character <= last);
