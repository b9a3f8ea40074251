import type { Entry } from '../store.ts';
import { keyText } from './keys.ts';
import type { Message } from './messages.ts';

/** A key-value pair of etcd as an entry. */
export function entryOf(kv: Message<'KeyValue'>): Entry {
  const { createRevision, modRevision, version, value } = kv;
  return { key: keyText(kv.key), value, createRevision, modRevision, version };
}
