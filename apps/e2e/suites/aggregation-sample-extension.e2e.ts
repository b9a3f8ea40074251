import { requireTools } from '@annex/testkit';
import { describe } from 'vitest';
import { startAnnex } from '../runners/start-annex.ts';
import { extensionPromises } from './extension/promises.contract.ts';
import { sampleExtension } from './extension/sample-extension.ts';
import { wardlePromises } from './extension/wardle-promises.contract.ts';

const suite = 'the flunders and fischers of the examples';

describe.runIf(requireTools(suite, 'kubectl'))(suite, () => {
  extensionPromises(
    async () => sampleExtension,
    () => startAnnex(),
    wardlePromises,
  );
});
