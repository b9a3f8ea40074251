import { StoreError } from '../../store.ts';
import { openLmdbStore } from '../open-lmdb-store.ts';

// Tests run this file as a separate process. It prints one line per completed step.
const [, , dir = '', task = '', round = ''] = process.argv;

try {
  const store = await openLmdbStore({ dir });
  console.log('open');
  if (task === 'hold') process.stdin.resume();
  else if (task === 'fill') await fill();
  else await Promise.all(Array.from({ length: 8 }, (_, writer) => write(writer)));

  /** Creates, changes and deletes keys until the process is killed, and prints each acknowledged revision. */
  async function write(writer: number): Promise<void> {
    for (let i = 0; ; i++) {
      const key = `/registry/things/${round}-${writer}-${i}`;
      const created = await store.create(key, Buffer.from(`${key} created`));
      console.log(`ack ${created} ${key} created`);
      if (i % 3 > 0)
        console.log(`ack ${await store.update(key, Buffer.from(`${key} updated`), created)} ${key} updated`);
      if (i % 3 > 1) console.log(`ack ${(await store.delete(key)).revision} ${key} deleted`);
    }
  }

  /** Writes until the disk is full, then shows that reads succeed, and writes once there is space. */
  async function fill(): Promise<void> {
    const value = Buffer.alloc(20_000, 1);
    for (let i = 0; i < 1000; i++) {
      try {
        await store.create(`/registry/things/${i}`, value);
      } catch (error) {
        const { code } = error as StoreError;
        const { entries, revision } = await store.list('/registry/things/');
        console.log(`${code} after ${i} with ${entries.length} at ${revision}`);
        break;
      }
    }
    await store.close();
  }
} catch (error) {
  console.log(error instanceof StoreError ? `${error.code}: ${error.message}` : String(error));
}
