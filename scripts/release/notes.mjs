// `node scripts/release/notes.mjs VERSION`: prints the changes of a version, for the page of its release.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../install.mjs';
import { changesOf } from './changelog.ts';

const [, , version] = process.argv;
const changes = changesOf(readFileSync(join(root, 'CHANGELOG.md'), 'utf8'), version);
process.stdout.write(`${changes}\n`);
if (changes === '') process.exitCode = 1;
