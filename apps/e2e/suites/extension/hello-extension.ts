import { readFileSync } from 'node:fs';
import type { Extension } from './extension.ts';
import { sdkExample } from './sdk-example.ts';

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
  start: sdkExample('hello-extension'),
};
