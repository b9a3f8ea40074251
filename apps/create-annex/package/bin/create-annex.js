#!/usr/bin/env node
import { nodeVersionError } from '../dist/node-version.js';

// Other versions of Node cannot load the command.
const unsupported = nodeVersionError();
if (unsupported !== undefined) {
  process.stderr.write(`${unsupported}\n`);
  process.exit(1);
}
const { main } = await import('../dist/main.js');
process.exitCode = main(process.argv.slice(2));
