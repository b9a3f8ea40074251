import { runExtensionServer } from '@annex/sdk';
import { alphaFlunders, fischers, flunders } from './resources.ts';

process.exit(
  await runExtensionServer({
    name: 'sample-extension',
    group: 'wardle.example.com',
    resources: [flunders, alphaFlunders, fischers],
  }),
);
