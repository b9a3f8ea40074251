import type { KubeObject } from '@annex/machinery';
import { StoredObject } from '@annex/storage';
import { expect, it } from 'vitest';
import { encodeExisting, eventForm, eventStream } from './watch-events.ts';

const objectOf = (keys: number): KubeObject => ({
  kind: 'ConfigMap',
  apiVersion: 'v1',
  metadata: { name: 'a' },
  data: Object.fromEntries(Array.from({ length: keys }, (_, i) => [`k${i}`, 'x'.repeat(100)])),
});
const storedOf = (object: KubeObject) =>
  new StoredObject({ value: Buffer.from(JSON.stringify(object)), modRevision: 5 });
const kind = { columns: [], version: 'v1' };

it.each(['application/json', 'application/vnd.kubernetes.protobuf'] as const)(
  'a large object of a watch of %s is encoded in slices, with the bytes of a small one',
  async (encoding) => {
    const stream = await eventStream(encoding);
    const form = eventForm({ kind, stream, as: 'object', version: 'v1', include: 'Metadata' });
    const large = storedOf(objectOf(4000));
    const encoded = encodeExisting(large, large.object, form, false);
    expect(encoded).toBeInstanceOf(Promise);
    expect(await encoded).toEqual(stream.write('ADDED', large.object));
    const small = storedOf(objectOf(4));
    expect(encodeExisting(small, small.object, form, false)).toEqual(stream.write('ADDED', small.object));
  },
);
