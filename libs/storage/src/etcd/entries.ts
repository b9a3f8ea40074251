import type { Entry } from '../store.ts';
import { keyText } from './keys.ts';
import type { Message } from './messages.ts';

/** Converts a key-value pair of etcd to an entry. */
export function entryOf(kv: Message<'KeyValue'>): Entry {
  const { createRevision, modRevision, version, value } = kv;
  // kine counts no versions: they are zero.
  return { key: keyText(kv.key), value, createRevision, modRevision, version: version || undefined };
}
