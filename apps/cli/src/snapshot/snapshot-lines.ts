import { isUtf8 } from 'node:buffer';
import type { ImageEntry } from '@annex/storage';

/** The first line of a snapshot. */
export interface SnapshotHeader {
  annexSnapshot: typeof snapshotVersion;
  /** The version of Annex that wrote it. */
  annex: string;
  /** RFC 3339. */
  takenAt: string;
  /** The revision of the store. */
  revision: number;
}

/** The format version of these files. */
export const snapshotVersion = 1;

/** A snapshot is invalid. */
export class SnapshotError extends Error {
  override readonly name = 'SnapshotError';
}

/** Values that are JSON are stored as readable text. */
export function encodeEntry({ value, ...entry }: ImageEntry): string {
  const bytes = Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  return JSON.stringify({
    ...entry,
    ...(isUtf8(bytes) ? { value: bytes.toString() } : { base64: bytes.toString('base64') }),
  });
}

/** A line of a snapshot. */
export type SnapshotLine =
  | { kind: 'header'; header: SnapshotHeader }
  | { kind: 'entry'; entry: ImageEntry }
  | { kind: 'end'; count: number };

/** Parses a line; throws SnapshotError if it is invalid. */
export function decodeLine(text: string, number: number): SnapshotLine {
  const line = parse(text);
  if (number === 1) return { kind: 'header', header: headerOf(line) };
  if (isCount(line?.end)) return { kind: 'end', count: line.end };
  const { base64, createRevision, expiresAt, key, modRevision, value, version } = line ?? {};
  const bytes = bytesOf(value, base64);
  const isWhole = [createRevision, modRevision, version].every(isCount) && typeof key === 'string' && bytes;
  if (!isWhole || (expiresAt !== undefined && !isCount(expiresAt)))
    throw new SnapshotError(`line ${number} is not an entry`);
  const head = { createRevision, modRevision, version } as Omit<ImageEntry, 'key' | 'value'>;
  return { kind: 'entry', entry: { key, value: bytes, ...head, ...(expiresAt ? { expiresAt } : {}) } };
}

function headerOf(line: Record<string, unknown> | undefined): SnapshotHeader {
  const { annexSnapshot: version, annex, revision } = line ?? {};
  if (!isCount(version) || !isCount(revision)) throw new SnapshotError('it is not a snapshot');
  if (version !== snapshotVersion) {
    throw new SnapshotError(
      `it has format ${version} of Annex ${String(annex)}; the supported format is ${snapshotVersion}`,
    );
  }
  return line as unknown as SnapshotHeader;
}

function parse(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

function bytesOf(text: unknown, base64: unknown): Buffer | undefined {
  if (typeof text === 'string') return Buffer.from(text);
  return typeof base64 === 'string' ? Buffer.from(base64, 'base64') : undefined;
}

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0;
