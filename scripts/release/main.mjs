// `npm run release -- VERSION [--dry-run]`: gives all packages a version, closes the section of the changelog, commits and tags.
// VERSION is a version, or major, minor or patch. Nothing is pushed and nothing is published.
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { releaseVersion } from 'nx/release';
import { root } from '../install.mjs';
import { releaseChanges } from './changelog.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { 'dry-run': { type: 'boolean', default: false } },
});
const dryRun = values['dry-run'];
const [specifier] = positionals;
const path = join(root, 'CHANGELOG.md');

try {
  if (specifier === undefined)
    throw new Error('usage: npm run release -- VERSION|major|minor|patch [--dry-run]');
  if (!dryRun && git('status', '--porcelain') !== '') throw new Error('Commit or stash your changes first.');
  const changelog = readFileSync(path, 'utf8');
  const today = new Date().toISOString().slice(0, 10);
  // Before the versions change, so that a missing description leaves everything as it was.
  releaseChanges(changelog, specifier, today);
  const { workspaceVersion } = await releaseVersion({ specifier, dryRun });
  const released = releaseChanges(changelog, workspaceVersion, today);
  if (!dryRun) commit(released, workspaceVersion);
  process.exit(0);
} catch (error) {
  process.stderr.write(`${error.message}\n`);
  process.exit(1);
}

function commit(changelog, version) {
  writeFileSync(path, changelog);
  writeStore(version);
  git('commit', '--all', '--message', `chore(release): ${version}`);
  git('tag', '--annotate', `v${version}`, '--message', `Annex ${version}`);
  process.stdout.write(`Annex ${version} is tagged. To publish it: git push --follow-tags\n`);
}

/** Writes the store that later versions have to open: stores-of-releases.test.ts. */
function writeStore(version) {
  const file = join(root, 'apps/cli/testdata/stores', `${version}.mdb.gz`);
  const args = [join(root, 'scripts/release/store-fixture.mjs'), file];
  const { status } = spawnSync(process.execPath, args, { stdio: ['ignore', 'ignore', 'inherit'] });
  if (status !== 0) throw new Error('no store of this version was written');
  git('add', file);
}

function git(...args) {
  const { status, stdout, stderr } = spawnSync('git', args, { cwd: root, encoding: 'utf8' });
  if (status !== 0) throw new Error(`git ${args[0]} failed: ${stderr.trim()}`);
  return stdout.trim();
}
