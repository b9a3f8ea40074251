#!/usr/bin/env node
// JavaScript: for a program of TypeScript, Node loads its compiler, which takes 16 MB. It is not loaded for files in the cache.
import { enableCompileCache } from 'node:module';
import { fileURLToPath } from 'node:url';

// Before anything else is loaded: the cache is worth half of the start. Threads find it by the environment.
process.env.NODE_COMPILE_CACHE ??= fileURLToPath(
  new URL('../../../node_modules/.cache/annex', import.meta.url),
);
enableCompileCache(process.env.NODE_COMPILE_CACHE);
const { resolveOwnFilesFast } = await import('../src/own-files.ts');
resolveOwnFilesFast();
const { main } = await import('../src/main.ts');
// Handles that a failed start left open must not keep the process running.
process.exit(await main());
