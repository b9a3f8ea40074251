import { isIPv6 } from 'node:net';
import type { ByteReader } from './byte-reader.ts';

/** Where messages are read from. */
export type MessageBytes = Pick<ByteReader, 'take'>;

// Source: RFC 1928 for everything except for the sub-negotiation, which is RFC 1929.
const version = 5;
const credentialsVersion = 1;

/** Methods of authentication. */
export const methods = { none: 0, credentials: 2, unacceptable: 0xff } as const;

/** The outcomes that a reply names. */
export const replies = {
  succeeded: 0,
  failed: 1,
  notAllowed: 2,
  networkUnreachable: 3,
  hostUnreachable: 4,
  refused: 5,
  timedOut: 6,
  commandNotSupported: 7,
  addressTypeNotSupported: 8,
} as const;

export type Reply = (typeof replies)[keyof typeof replies];

/** Where a client wants to connect to. A host is a name or an address. */
export interface Destination {
  host: string;
  port: number;
}

/** Input that is not SOCKS5, or a request that is refused with a reply. */
export class SocksError extends Error {
  readonly reply: Reply | undefined;

  constructor(message: string, reply?: Reply) {
    super(message);
    this.name = 'SocksError';
    this.reply = reply;
  }
}

/** Reads the methods that a client offers. */
export async function readMethods(reader: MessageBytes): Promise<ReadonlySet<number>> {
  const [first] = await reader.take(1);
  if (first !== version) throw new SocksError('the client does not speak SOCKS5');
  const count = (await reader.take(1)).readUInt8();
  return new Set(await reader.take(count));
}

export const methodMessage = (method: number): Uint8Array => Uint8Array.of(version, method);

/** Reads the name and the password of a user. */
export async function readCredentials(reader: MessageBytes): Promise<{ user: string; password: string }> {
  const [first] = await reader.take(1);
  if (first !== credentialsVersion) throw new SocksError('the credentials have another version than 1');
  const user = await readText(reader);
  return { user, password: await readText(reader) };
}

export const credentialsMessage = (areValid: boolean): Uint8Array =>
  Uint8Array.of(credentialsVersion, areValid ? 0 : 1);

const readText = async (reader: MessageBytes): Promise<string> =>
  (await reader.take((await reader.take(1)).readUInt8())).toString();

const connectCommand = 1;
const addressTypes = { ipv4: 1, name: 3, ipv6: 4 } as const;

/** A host name as DNS has it, without control characters and wildcards. */
const hostName = /^[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+)*\.?$/;

/** Reads the destination of a CONNECT request. Throws {@link SocksError} for other commands and for invalid names. */
export async function readDestination(reader: MessageBytes): Promise<Destination> {
  const [first, command, , type] = await reader.take(4);
  if (first !== version) throw new SocksError('the request has another version than 5');
  const host = await readHost(reader, type);
  const port = (await reader.take(2)).readUInt16BE();
  if (command !== connectCommand)
    throw new SocksError('only CONNECT is supported', replies.commandNotSupported);
  return { host, port };
}

async function readHost(reader: MessageBytes, type: number | undefined): Promise<string> {
  if (type === addressTypes.ipv4) return [...(await reader.take(4))].join('.');
  if (type === addressTypes.ipv6) return ipv6Text(await reader.take(16));
  if (type !== addressTypes.name)
    throw new SocksError('the type of the address is unknown', replies.addressTypeNotSupported);
  const host = await readText(reader);
  if (!hostName.test(host) && !isIPv6(host)) throw new SocksError('the name is no host name', replies.failed);
  return host.toLowerCase().replace(/\.$/, '');
}

function ipv6Text(bytes: Buffer): string {
  const groups = Array.from({ length: 8 }, (_, index) => bytes.readUInt16BE(2 * index).toString(16));
  return new URL(`http://[${groups.join(':')}]`).hostname.slice(1, -1);
}

/** The reply to a request. The address of the connection is left out, as by most servers. */
export const replyMessage = (reply: Reply): Uint8Array =>
  Uint8Array.of(version, reply, 0, addressTypes.ipv4, 0, 0, 0, 0, 0, 0);
