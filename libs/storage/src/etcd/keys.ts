import { isUtf8 } from 'node:buffer';
import { status } from '@grpc/grpc-js';
import { CallFailure, unsupported } from './failures.ts';

const zero = Buffer.of(0);

/** Returns the end of the range of all keys with a prefix, as etcd counts: the prefix plus one. */
export function prefixEnd(prefix: Uint8Array): Buffer {
  const end = Buffer.from(prefix);
  for (let i = end.length - 1; i >= 0; i--) {
    if (end[i]! < 0xff) {
      end[i]!++;
      return end.subarray(0, i + 1);
    }
  }
  return zero;
}

/** Encodes a key as bytes. */
export function keyBytes(key: string): Buffer {
  return Buffer.from(key, 'utf8');
}

/** Decodes a key from bytes. */
export function keyText(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
}

/** Decodes the key of a request. Throws if it is missing or not UTF-8: keys of stores are strings. */
export function requestKey(bytes: Uint8Array): string {
  if (bytes.length === 0) throw new CallFailure(status.INVALID_ARGUMENT, 'etcdserver: key is not provided');
  if (!isUtf8(bytes)) throw unsupported('a key that is not UTF-8');
  return keyText(bytes);
}
