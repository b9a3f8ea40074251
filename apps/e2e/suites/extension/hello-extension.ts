import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { startProcess } from '@annex/testkit';
import type { Extension } from './extension.ts';

const example = new URL('../../../../examples/hello-extension/', import.meta.url);

/** The extension API server of the examples, with its objects on disk. */
export const helloExtension: Extension = {
  name: 'hello-extension',
  group: 'hello.example.com',
  version: 'v1alpha1',
  resource: 'greetings',
  kind: 'Greeting',
  namespace: 'hello',
  service: 'hello',
  serviceAccount: 'hello-extension',
  documented: { field: 'name', words: 'Who is greeted.' },
  spec: { name: 'world' },
  manifests: readFileSync(new URL('manifests.yaml', example), 'utf8'),
  start({ folder, port, kubeconfig, certificate, key }) {
    const options = {
      'data-dir': join(folder, 'objects'),
      'bind-address': '0.0.0.0',
      'secure-port': String(port),
      'tls-cert-file': certificate,
      'tls-private-key-file': key,
      kubeconfig,
      // Ten seconds by default: a grant would take as long to be seen.
      'authorization-webhook-cache-unauthorized-ttl': '1s',
    };
    const args = Object.entries(options).map(([name, value]) => `--${name}=${value}`);
    const main = new URL('hello-extension.ts', example).pathname;
    return startProcess(process.execPath, { args: [main, ...args], until: /hello-extension is ready/ });
  },
};
