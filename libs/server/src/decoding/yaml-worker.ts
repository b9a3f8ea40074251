import { parentPort } from 'node:worker_threads';
import { decodeYaml, stringifyJson } from '@annex/machinery';
import type { YamlResponse } from './yaml-thread.ts';

// The worker thread that reads large YAML texts, so that the event loop stays free.

const port = parentPort!;

port.on('message', (text: string) => {
  decodeYaml(text).then(
    ({ value, duplicates }) => response({ json: stringifyJson(value), duplicates }),
    (error: unknown) => response({ error: error instanceof Error ? error.message : String(error) }),
  );
});

function response(message: YamlResponse): void {
  port.postMessage(message);
}
