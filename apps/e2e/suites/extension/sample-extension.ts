import type { Extension } from './extension.ts';
import { sdkExample } from './sdk-example.ts';
import { sampleApiserver } from './sample-apiserver.ts';

/** The same group as the Go sample-apiserver has, served by the SDK. */
export const sampleExtension: Extension = {
  ...sampleApiserver('', () => ''),
  name: 'sample-extension',
  documented: { field: 'reference', words: 'A name of another flunder or fischer' },
  start: sdkExample('sample-extension'),
};
