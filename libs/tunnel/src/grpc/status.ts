import { PacketError, WireError } from '../packet/wire.ts';

/** The status codes of gRPC that streams of packets end with. */
export const grpcStatus = {
  OK: 0,
  CANCELLED: 1,
  UNKNOWN: 2,
  INVALID_ARGUMENT: 3,
  DEADLINE_EXCEEDED: 4,
  RESOURCE_EXHAUSTED: 8,
  UNIMPLEMENTED: 12,
  INTERNAL: 13,
  UNAVAILABLE: 14,
} as const;

/** The end of a stream with another status than OK. */
export class GrpcError extends Error {
  override name = 'GrpcError';
  readonly code: number;

  constructor(code: number, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** Returns Go's name of a code, such as `InvalidArgument`. */
export function codeName(code: number): string {
  const name = Object.entries(grpcStatus).find(([, value]) => value === code)?.[0] ?? 'UNKNOWN';
  return name
    .split('_')
    .map((word) => `${word[0]}${word.slice(1).toLowerCase()}`)
    .join('')
    .replace('Cancelled', 'Canceled');
}

/** Returns the status of an error; `other` is that of an error of the connection. */
export function statusOf(error: Error, other: number): GrpcError {
  if (error instanceof GrpcError) return error;
  if (error instanceof WireError)
    return new GrpcError(
      grpcStatus.INTERNAL,
      `grpc: failed to unmarshal the received message: ${error.message}`,
    );
  const code = error instanceof PacketError ? grpcStatus.INVALID_ARGUMENT : other;
  return new GrpcError(code, error.message, { cause: error });
}

/** Encodes a message for the trailer `grpc-message`: gRPC over HTTP/2, "Percent-Encoded". */
export const encodeStatusMessage = (message: string): string =>
  [...Buffer.from(message)]
    .map((byte) =>
      byte < 0x20 || byte > 0x7e || byte === 0x25
        ? `%${byte.toString(16).toUpperCase().padStart(2, '0')}`
        : String.fromCharCode(byte),
    )
    .join('');

/** Decodes the trailer `grpc-message`; invalid texts stay as they are. */
export function decodeStatusMessage(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Returns the error of headers or trailers with a status other than OK. */
export function statusErrorOf(headers: Readonly<Record<string, unknown>>): GrpcError | undefined {
  const { 'grpc-status': status, 'grpc-message': message = '' } = headers;
  if (status === undefined || status === '0') return undefined;
  return new GrpcError(Number(status), decodeStatusMessage(String(message)));
}
