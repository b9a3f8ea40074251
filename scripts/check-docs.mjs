// Checks what no compiler reads: links of the documentation, the size of lib pages, the titles of commits.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { root } from './install.mjs';

let passed = 0;
let failed = 0;
const check = (ok, complaint) => {
  if (ok) passed++;
  else {
    failed++;
    process.stdout.write(`FAIL ${complaint}\n`);
  }
};

const git = (...args) => spawnSync('git', args, { cwd: root, encoding: 'utf8' });
const tracked = git('ls-files', '-co', '--exclude-standard', '*.md');
const pages = tracked.status === 0 ? tracked.stdout.trim().split('\n').filter(Boolean) : [];

const slug = (heading) =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(/\s/g, '-');

const anchorsOf = (path) => {
  const text = readFileSync(path, 'utf8').replaceAll(/^```[\s\S]*?^```/gm, '');
  return new Set([...text.matchAll(/^#+ (.+)$/gm)].map(([, heading]) => slug(heading)));
};

for (const page of pages.filter((path) => existsSync(join(root, path)))) {
  const text = readFileSync(join(root, page), 'utf8');
  const prose = text.replaceAll(/^```[\s\S]*?^```/gm, '').replaceAll(/`[^`\n]*`/g, '');
  for (const [, target] of prose.matchAll(/\[[^\]]*\]\(([^)\s]+)[^)]*\)/g)) {
    if (/^[a-z]+:/.test(target)) continue;
    const [file, anchor] = target.split('#');
    const path = file === '' ? join(root, page) : join(root, dirname(page), decodeURIComponent(file));
    check(existsSync(path), `${page}: nothing is at ${target}`);
    if (anchor && path.endsWith('.md') && existsSync(path)) {
      check(anchorsOf(path).has(anchor), `${page}: no heading for ${target}`);
    }
  }
  if (/^libs\/[^/]+\/README\.md$/.test(page)) {
    const length = text.trimEnd().split('\n').length;
    check(length <= 30, `${page}: ${length} lines, more than 30`);
  }
}

const title = /^(build|chore|ci|docs|feat|fix|perf|refactor|revert|style|test)(\([\w, /-]+\))?!?: \S/;
const log = git('log', '--no-merges', '--format=%h %s', '-n', '500');
for (const line of log.status === 0 ? log.stdout.trim().split('\n') : []) {
  const [hash, ...words] = line.split(' ');
  check(title.test(words.join(' ')), `commit ${hash}: no conventional title: ${words.join(' ')}`);
}

process.stdout.write(`${passed} passed, ${failed} failed\n`);
process.exitCode = failed === 0 ? 0 : 1;
