import { createReadStream, createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { pipeline as connect, Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import { randomUUID } from 'node:crypto';
import { OperatorError } from '@annex/runtime';
import type { ImageEntry } from '@annex/storage';
import { decodeLine, encodeEntry, type SnapshotHeader, SnapshotError } from './snapshot-lines.ts';
import type { StoreContent } from './store-content.ts';

/** Maximum bytes of a line; a value of a store has at most 1.5 MiB. */
export const maxSnapshotLineBytes = 16 * 1024 * 1024;

/**
 * Writes a snapshot: gzip of JSON lines, with a header, one line for each entry, and an end with their count. Renames the file, over an
 * earlier one, after all data is on the disk. Only its owner can read it.
 */
export async function writeSnapshot(
  file: string,
  content: StoreContent,
  header: SnapshotHeader,
): Promise<void> {
  const aside = `${file}.${randomUUID()}`;
  try {
    const target = createWriteStream(aside, { flags: 'wx', mode: 0o600, flush: true });
    await pipeline(Readable.from(lines(content, header)), createGzip({ level: 3 }), target);
    await rename(aside, file);
  } catch (cause) {
    await rm(aside, { force: true });
    if (!isFileError(cause)) throw cause;
    throw new OperatorError('FILE_UNWRITABLE', `cannot write ${file}: ${cause.message}`, { cause });
  }
}

async function* lines(content: StoreContent, header: SnapshotHeader): AsyncGenerator<string> {
  yield `${JSON.stringify(header)}\n`;
  for await (const entry of content.entries()) yield `${encodeEntry(entry)}\n`;
  yield `${JSON.stringify({ end: content.count })}\n`;
}

/** A snapshot that is being read: its header, then its entries, once. Any error in the file is an OperatorError. */
export interface SnapshotReader {
  header: SnapshotHeader;
  entries(): AsyncIterable<ImageEntry>;
}

/** Opens a snapshot. Throws OperatorError FILE_UNREADABLE if the file is not a snapshot, or of a later version. */
export async function readSnapshot(file: string): Promise<SnapshotReader> {
  const decoded = notified(file, decodedLines(file));
  const first = await decoded.next();
  if (first.done || first.value.kind !== 'header') throw unreadable(file, 'it is not a snapshot');
  const { header } = first.value;
  return {
    header,
    async *entries() {
      let count = 0;
      let end: number | undefined;
      for await (const line of decoded) {
        if (end !== undefined || line.kind === 'header')
          throw unreadable(file, 'there is data after its end');
        if (line.kind === 'end') end = line.count;
        else yield ((count++, line.entry));
      }
      if (end !== count) throw unreadable(file, 'entries are missing');
    },
  };
}

async function* decodedLines(file: string) {
  let rest: Buffer = Buffer.alloc(0);
  // An error, or the end of reading, closes both streams.
  const gunzip = connect(createReadStream(file), createGunzip({ chunkSize: 256 * 1024 }), () => undefined);
  let number = 0;
  for await (const chunk of gunzip as AsyncIterable<Buffer>) {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    let from = 0;
    for (let at = rest.indexOf(10); at >= 0; at = rest.indexOf(10, from)) {
      yield decodeLine(rest.toString('utf8', from, at), ++number);
      from = at + 1;
    }
    rest = rest.subarray(from);
    if (rest.length > maxSnapshotLineBytes) throw new SnapshotError(`line ${number + 1} is too long`);
  }
  if (rest.length > 0) throw new SnapshotError('it ends in the middle of a line');
}

async function* notified<T>(file: string, values: AsyncGenerator<T>): AsyncGenerator<T> {
  try {
    yield* values;
  } catch (cause) {
    if (!(cause instanceof SnapshotError) && !isFileError(cause)) throw cause;
    throw unreadable(file, cause.message, cause);
  }
}

const unreadable = (file: string, why: string, cause?: Error): OperatorError =>
  new OperatorError('FILE_UNREADABLE', `cannot restore ${file}: ${why}`, { cause });

/** True for errors of the file system or of zlib. */
const isFileError = (error: unknown): error is Error =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' && /^[EZ]/.test(error.code);
