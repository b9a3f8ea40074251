import { Buffer } from 'node:buffer';

/** The types of HTTP/2 frames that concern data. Source: RFC 9113, section 6. */
export const frameTypes = { data: 0, headers: 1, resetStream: 3, settings: 4, windowUpdate: 8 } as const;

export const frameFlags = { endStream: 1, ack: 1, endHeaders: 4, padded: 8 } as const;

/** The settings that concern the sender of data. Source: RFC 9113, section 6.5.2. */
export const settingIds = { initialWindowSize: 4, maxFrameSize: 5 } as const;

/** Values before the settings of a peer. */
export const defaultWindowBytes = 65_535;
export const defaultFrameBytes = 16_384;

/** The largest flow-control window. */
export const largestWindowBytes = 2 ** 31 - 1;

export const frameHeaderBytes = 9;

/** Bytes with which a client begins a connection. */
export const prefaceBytes = 24;

/** What the header of a frame says. */
export interface FrameHeader {
  /** Bytes of the payload. */
  length: number;
  type: number;
  flags: number;
  streamId: number;
}

const streamIdMask = 0x7f_ff_ff_ff;

export const readFrameHeader = (bytes: Buffer, at: number): FrameHeader => ({
  length: (bytes[at]! << 16) | (bytes[at + 1]! << 8) | bytes[at + 2]!,
  type: bytes[at + 3]!,
  flags: bytes[at + 4]!,
  streamId: bytes.readUInt32BE(at + 5) & streamIdMask,
});

/** Encodes the header of a frame, with room for a payload that follows in the same buffer. */
export function frameHeader({ length, type, flags, streamId }: FrameHeader, room = 0): Buffer {
  const bytes = Buffer.allocUnsafe(frameHeaderBytes + room);
  bytes[0] = length >>> 16;
  bytes[1] = length >>> 8;
  bytes[2] = length;
  bytes[3] = type;
  bytes[4] = flags;
  bytes.writeUInt32BE(streamId, 5);
  return bytes;
}

export const dataHeader = (streamId: number, length: number): Buffer =>
  frameHeader({ length, type: frameTypes.data, flags: 0, streamId });

/** A DATA frame without data, which ends a stream. */
export const endFrame = (streamId: number): Buffer =>
  frameHeader({ length: 0, type: frameTypes.data, flags: frameFlags.endStream, streamId });

const windowUpdateBytes = 4;

/** Lets the peer send more bytes on a stream; stream 0 is the connection. */
export function windowUpdate(streamId: number, bytes: number): Buffer {
  const header = { length: windowUpdateBytes, type: frameTypes.windowUpdate, flags: 0, streamId };
  const frame = frameHeader(header, windowUpdateBytes);
  frame.writeUInt32BE(bytes, frameHeaderBytes);
  return frame;
}
