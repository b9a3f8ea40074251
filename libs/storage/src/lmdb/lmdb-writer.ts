import { parentPort, workerData } from 'node:worker_threads';
import { LmdbLedger } from './lmdb-ledger.ts';
import type { WriterMessage } from './lmdb-protocol.ts';
import { transact } from './lmdb-transactions.ts';

// The writer thread of an embedded store, so that waiting for the disk does not delay requests.
const ledger = new LmdbLedger((workerData as { directory: string }).directory);
const port = parentPort!;

port.on('message', (message: WriterMessage) => {
  if (message !== 'close') port.postMessage(transact(ledger, message));
  else void ledger.root.close().then(() => port.close());
});
port.postMessage('ready');
