import { runExtensionServer } from '@annex/sdk';
import { greetings, group } from './greetings.ts';

process.exit(await runExtensionServer({ name: '{{NAME}}', group, resources: [greetings] }));
