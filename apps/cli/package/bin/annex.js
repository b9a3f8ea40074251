#!/usr/bin/env node
import module from 'node:module';
import { fileURLToPath } from 'node:url';
import { nodeVersionError } from '../dist/node-version.js';

// Other versions of Node cannot load the command.
const unsupported = nodeVersionError();
if (unsupported !== undefined) {
  process.stderr.write(`${unsupported}\n`);
  process.exit(1);
}
// Before anything else is loaded: the cache halves the time of a start. Threads find it in the environment.
process.env.NODE_COMPILE_CACHE ??= fileURLToPath(new URL('../.cache', import.meta.url));
module.enableCompileCache?.(process.env.NODE_COMPILE_CACHE);
const { main } = await import('../dist/main.js');
// A failed start may leave connections and timers open.
process.exit(await main());
