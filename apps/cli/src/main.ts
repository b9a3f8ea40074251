// The entry point for `node main.ts`.
import '../bin/annex.js';
