import { requireTools } from '@annex/testkit';
import { describe } from 'vitest';
import { startSingle } from '../runners/single-runner.ts';
import { helloExtension } from './extension/hello-extension.ts';
import { extensionPromises } from './extension/promises.ts';

const suite = 'the extension API server of the examples';

describe.runIf(requireTools(suite, 'kubectl'))(suite, () => {
  extensionPromises(
    async () => helloExtension,
    () => startSingle(),
  );
});
