import type { Extension } from './extension.ts';
import { sdkExample } from './sdk-example.ts';
import { sampleApiserver } from './sample-apiserver.ts';

/** The API group of the Go sample-apiserver, served by the SDK. */
export const sampleExtension: Extension = {
  ...sampleApiserver('', () => ''),
  name: 'sample-extension',
  documented: { field: 'reference', words: 'A name of another flunder or fischer' },
  start: sdkExample('sample-extension'),
};
