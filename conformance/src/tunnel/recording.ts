import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Packet, PacketType } from '@annex/tunnel';

/** One line of a recording. */
export interface Line {
  kind: 'meta' | 'packet' | 'grpc' | 'h2' | 'bytes' | 'conn' | 'event';
  link?: string;
  dir?: string;
  event?: string;
  type?: string;
  metadata?: Readonly<Record<string, string>>;
  data?: RecordedBytes & { data?: string | undefined };
  [field: string]: unknown;
}

/** Bytes of a line: themselves, or their size and hash. */
interface RecordedBytes {
  size?: number;
  sha256?: string;
}

/** Reads a recording of the apiserver-network-proxy. */
export const readTunnelRecording = (path: string): Line[] =>
  readFileSync(path, 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Line);

const period = 251;
const pattern = Buffer.from(Array.from({ length: period }, (_, index) => index));

/** Returns recorded bytes; those that are recorded by their size are generated ones, or unknown. */
export function bytesOf(recorded: { data?: unknown; size?: unknown; sha256?: unknown } | undefined): Buffer {
  if (typeof recorded?.data === 'string') return Buffer.from(recorded.data, 'base64');
  const size = Number(recorded?.size ?? 0);
  const generated = Buffer.alloc(size, pattern);
  const hash = createHash('sha256').update(generated).digest('hex');
  return recorded?.sha256 === undefined || recorded.sha256 === hash ? generated : Buffer.alloc(size);
}

/** The numbers of the types that are recorded. */
export const typeNumbers: Readonly<Record<string, number>> = {
  DIAL_REQ: 0,
  DIAL_RSP: 1,
  CLOSE_REQ: 2,
  CLOSE_RSP: 3,
  DATA: 4,
  DIAL_CLS: 5,
  DRAIN: 6,
};

const payloads = [
  'dialRequest',
  'dialResponse',
  'closeRequest',
  'closeResponse',
  'data',
  'closeDial',
  'drain',
] as const;

/** Returns the packet of a line; undefined for one without payload, or of an unknown type. */
export function packetOf(line: Line): Packet | undefined {
  const number = typeNumbers[line.type ?? ''];
  const payload =
    number === undefined ? undefined : (line[payloads[number]!] as Record<string, string> | undefined);
  if (payload === undefined) return undefined;
  const type = line.type as PacketType;
  const connectId = Number(payload['connectID'] ?? 0);
  const random = BigInt(payload['random'] ?? 0);
  const { error = '', protocol = '', address = '' } = payload;
  switch (type) {
    case 'DIAL_REQ':
      return { type, protocol, address, random };
    case 'DIAL_RSP':
      return { type, error, connectId, random };
    case 'CLOSE_RSP':
      return { type, error, connectId };
    case 'CLOSE_REQ':
      return { type, connectId };
    case 'DATA':
      return { type, connectId, error, data: bytesOf(payload) };
    case 'DIAL_CLS':
      return { type, random };
    default:
      return { type: 'DRAIN' };
  }
}
