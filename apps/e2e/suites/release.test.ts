import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { requireTools, tempFolder } from '@annex/testkit';
import { describe, expect, it } from 'vitest';
import { changesOf, releaseChanges } from '../../../scripts/release/changelog.ts';
import own from '../package.json' with { type: 'json' };

const changelog = '# Changelog\n\n## Unreleased\n\n- New.\n\n## 0.1.0 (2026-01-02)\n\n- Old.\n';
const root = fileURLToPath(new URL('../../../', import.meta.url));

describe('the changelog', () => {
  it('gets an empty section above the released one', () => {
    expect(releaseChanges(changelog, '0.2.0', '2026-03-04')).toBe(
      '# Changelog\n\n## Unreleased\n\n## 0.2.0 (2026-03-04)\n\n- New.\n\n## 0.1.0 (2026-01-02)\n\n- Old.\n',
    );
  });

  it('has to describe the release', () => {
    const empty = changelog.replace('- New.\n\n', '');
    expect(() => releaseChanges(empty, '0.2.0', '2026-03-04')).toThrow('has no changes');
    expect(() => releaseChanges('# Changelog\n', '0.2.0', '2026-03-04')).toThrow('has no changes');
  });

  it.each([
    ['Unreleased', '- New.'],
    ['0.1.0', '- Old.'],
    ['0.1', ''],
  ])('has the changes of %s', (version, changes) => {
    expect(changesOf(changelog, version)).toBe(changes);
  });
});

const isClone = existsSync(join(root, '.git')) && requireTools('a release', 'git', 'npm');
it.runIf(isClone)('npm run release gives all packages the version, and tags the commit', () => {
  using folder = tempFolder('annex-release-');
  const run = (command: string, ...args: string[]) =>
    String(
      execFileSync(command, args, { cwd: folder.path, stdio: ['ignore', 'pipe', 'pipe'], env: identity }),
    ).trim();
  run('git', 'clone', '--quiet', '--depth=1', `file://${root}`, '.');
  symlinkSync(join(root, 'node_modules'), join(folder.path, 'node_modules'));
  writeFileSync(join(folder.path, '.git', 'info', 'exclude'), 'node_modules\n');
  writeFileSync(join(folder.path, 'CHANGELOG.md'), changelog);
  run('git', 'commit', '--all', '--quiet', '--message=docs: a changelog');
  run(process.execPath, 'scripts/release/main.mjs', 'minor');

  const [major = '', minor = ''] = own.version.split('.');
  const version = `${major}.${Number(minor) + 1}.0`;
  expect(run('git', 'tag', '--points-at', 'HEAD')).toBe(`v${version}`);
  expect(run('git', 'status', '--porcelain')).toBe('');
  const manifests = [':(glob)**/package.json', 'package-lock.json'];
  const lines = run('git', 'grep', '-h', '^  "version"', '--', ...manifests).split('\n');
  expect([...new Set(lines.map((line) => line.trim()))]).toEqual([`"version": "${version}",`]);
  const released = readFileSync(join(folder.path, 'CHANGELOG.md'), 'utf8');
  expect(changesOf(released, version)).toBe('- New.');
});

const identity = {
  ...process.env,
  NX_DAEMON: 'false',
  GIT_AUTHOR_NAME: 'a',
  GIT_AUTHOR_EMAIL: 'a@example.com',
  GIT_COMMITTER_NAME: 'a',
  GIT_COMMITTER_EMAIL: 'a@example.com',
};
