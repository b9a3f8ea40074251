import { closeSync, openSync, readSync } from 'node:fs';
import { open } from 'node:fs/promises';

/**
 * Bytes of a file that an option, a kubeconfig or another configuration names: far more than a large bundle
 * of CA certificates. Without a limit, a device or a growing log would fill the memory.
 */
export const maxFileBytes = 16 * 1024 * 1024;

const pieceBytes = 64 * 1024;

/** Reads a text file. Rejects if it cannot be read, or has more than {@link maxFileBytes}. */
export async function readTextFile(path: string): Promise<string> {
  const file = await open(path, 'r');
  try {
    const pieces: Buffer[] = [];
    for (let length = 0; ;) {
      const { bytesRead, buffer } = await file.read(Buffer.alloc(pieceBytes), 0, pieceBytes, null);
      if (bytesRead === 0) return Buffer.concat(pieces).toString('utf8');
      pieces.push(buffer.subarray(0, bytesRead));
      if ((length += bytesRead) > maxFileBytes) throw tooLarge(path);
    }
  } finally {
    await file.close();
  }
}

/** Reads a text file synchronously, see {@link readTextFile}. */
export function readTextFileSync(path: string): string {
  const file = openSync(path, 'r');
  try {
    const pieces: Buffer[] = [];
    for (let length = 0; ;) {
      const buffer = Buffer.alloc(pieceBytes);
      const bytesRead = readSync(file, buffer);
      if (bytesRead === 0) return Buffer.concat(pieces).toString('utf8');
      pieces.push(buffer.subarray(0, bytesRead));
      if ((length += bytesRead) > maxFileBytes) throw tooLarge(path);
    }
  } finally {
    closeSync(file);
  }
}

const tooLarge = (path: string): Error => new Error(`${path} is larger than ${maxFileBytes} bytes`);
