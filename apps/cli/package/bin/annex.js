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
// The bundle imports its own files and the modules of Node: their names are resolved without the file system.
const dist = new URL('../dist/', import.meta.url).href;
module.registerHooks({
  resolve(specifier, context, next) {
    if (specifier.startsWith('node:')) return { url: specifier, format: 'builtin', shortCircuit: true };
    if (!specifier.startsWith('./') || !context.parentURL?.startsWith(dist)) return next(specifier, context);
    return { url: dist + specifier.slice('./'.length), format: 'module', shortCircuit: true };
  },
});
const { main } = await import('../dist/main.js');
// A failed start may leave connections and timers open.
process.exit(await main());
