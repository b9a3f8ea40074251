import { requireTools } from '@annex/testkit';
import { describe } from 'vitest';
import { startAnnex } from '../runners/start-annex.ts';
import { greetingPromises } from './extension/greeting-promises.contract.ts';
import { helloExtension } from './extension/hello-extension.ts';
import { extensionPromises } from './extension/promises.contract.ts';

const suite = 'the extension API server of the examples';

describe.runIf(requireTools(suite, 'kubectl'))(suite, () => {
  extensionPromises(
    async () => helloExtension,
    () => startAnnex(),
    greetingPromises,
  );
});
