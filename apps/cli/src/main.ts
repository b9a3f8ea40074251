import { enableCompileCache } from 'node:module';
import { fileURLToPath } from 'node:url';

// Before anything else is loaded: the cache is worth half of the start.
enableCompileCache(fileURLToPath(new URL('../../../node_modules/.cache/annex', import.meta.url)));
const { runCommand } = await import('./commands.ts');
// Whatever a failed start left open must not keep the process.
process.exit(await runCommand(process.argv.slice(2), process.env));
