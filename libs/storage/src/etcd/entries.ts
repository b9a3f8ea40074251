import { Buffer } from 'node:buffer';
import type { Entry } from '../store.ts';
import { keyText } from './keys.ts';
import type { Message } from './messages.ts';

/** Converts a key-value pair of etcd to an entry. */
export function entryOf(kv: Message<'KeyValue'>): Entry {
  const { createRevision, modRevision, version, value } = kv;
  // kine counts no versions: they are zero.
  return {
    key: keyText(kv.key),
    value: withoutOthers(value),
    createRevision,
    modRevision,
    version: version || undefined,
  };
}

/**
 * Returns the bytes in a buffer that is at most twice as long. A decoded value is a part of what was received: a value that is kept would keep
 * the previous value and other events too.
 */
function withoutOthers(value: Uint8Array): Uint8Array {
  if (value.buffer.byteLength <= 2 * value.length) return value;
  const copy = Buffer.allocUnsafeSlow(value.length);
  copy.set(value);
  return copy;
}
