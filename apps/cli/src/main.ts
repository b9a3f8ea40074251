import { enableCompileCache } from 'node:module';
import { fileURLToPath } from 'node:url';

// Before anything else is loaded: the cache is worth half of the start and, since the compiler for TypeScript stays
// away then, 25 MB of memory. Threads find it by the environment.
process.env.NODE_COMPILE_CACHE ??= fileURLToPath(
  new URL('../../../node_modules/.cache/annex', import.meta.url),
);
enableCompileCache(process.env.NODE_COMPILE_CACHE);
const { resolveOwnFilesFast } = await import('./own-files.ts');
resolveOwnFilesFast();
const { startSmall } = await import('./young-generation.ts');
startSmall();
const { runCommand } = await import('./commands.ts');
// Whatever a failed start left open must not keep the process.
process.exit(await runCommand(process.argv.slice(2), process.env));
