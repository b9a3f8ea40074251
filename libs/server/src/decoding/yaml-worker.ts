import { parentPort } from 'node:worker_threads';
import { decodeYaml, stringifyJson } from '@annex/machinery';
import type { YamlAnswer } from './yaml-thread.ts';

// The thread that reads large YAML texts, so that others are served meanwhile.

const port = parentPort!;

port.on('message', (text: string) => {
  decodeYaml(text).then(
    ({ value, duplicates }) => answer({ json: stringifyJson(value), duplicates }),
    (error: unknown) => answer({ error: error instanceof Error ? error.message : String(error) }),
  );
});

function answer(message: YamlAnswer): void {
  port.postMessage(message);
}
