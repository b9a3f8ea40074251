import { requireTools } from '@annex/testkit';
import { afterAll, describe } from 'vitest';
import { requireReference, startReference } from '../runners/reference-runner.ts';
import type { Runner } from '../runners/runner.ts';
import { greetingPromises } from './extension/greeting-promises.contract.ts';
import { helloExtension } from './extension/hello-extension.ts';
import { extensionPromises } from './extension/promises.contract.ts';
import { sampleExtension } from './extension/sample-extension.ts';
import { wardlePromises } from './extension/wardle-promises.contract.ts';

const suite = 'extension API servers of the SDK behind a real kube-apiserver';
const examples = [
  [helloExtension, greetingPromises],
  [sampleExtension, wardlePromises],
] as const;

// The extension server runs here with the same options as behind Annex.
describe.runIf(requireTools(suite, 'kubectl', 'curl') && requireReference(suite))(suite, () => {
  let reference: Promise<Runner> | undefined;
  const shared = async (): Promise<Runner> => ({
    ...(await (reference ??= startReference())),
    stop: async () => undefined,
  });
  afterAll(async () => (await reference)?.stop());

  describe.each(examples)('$name', (example, promises) => {
    // A server that routes to endpoints rejects external names, which the other promises need.
    extensionPromises(async () => example, shared, promises, { routesToEndpoints: false });
  });
});
