import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { requireTools, tempFolder } from '@annex/testkit';
import { describe, expect, it } from 'vitest';
import { runCommand } from '../commands.ts';
import { printed } from '../printed.fixture.ts';

const scriptOf = async (shell: string): Promise<string> =>
  (await printed(() => runCommand(['completion', shell], {}))).out;

describe.runIf(requireTools('completion', 'bash'))('bash', () => {
  it.each<[typed: string, words: string[], expected: string[]]>([
    ['the beginning of a command', ['annex', 'sn'], ['snapshot']],
    ['a shell', ['annex', 'completion', 'f'], ['fish']],
    ['what a command does', ['annex', 'kubeconfig', ''], ['merge', 'remove']],
    ['nothing after it', ['annex', 'kubeconfig', 'merge', ''], []],
    ['a choice after an equals sign', ['annex', 'up', '--log-format', '='], ['text', 'json']],
    ['the beginning of a choice', ['annex', 'up', '--log-format', '=', 'j'], ['json']],
    ['the beginning of an option', ['annex', 'up', '--eph'], ['--ephemeral']],
    ['the beginning of an option of an app', ['annex', 'front-proxy', '--etcd-s'], ['--etcd-servers']],
    ['an option with choices', ['annex', 'up', '--log-format', ''], ['text', 'json']],
    ['an option with any value', ['annex', 'up', '--port', ''], []],
  ])('completes %s', async (_, words, expected) => {
    const script = `${await scriptOf('bash')}
COMP_WORDS=(${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${words.length - 1}
compopt() { :; }
_annex; printf '%s\\n' "\${COMPREPLY[@]}"`;
    const { stderr, stdout } = spawnSync('bash', ['--norc', '-c', script], { encoding: 'utf8' });
    expect([stdout.split('\n').filter((line) => line !== ''), stderr]).toEqual([expected, '']);
  });
});

it('zsh: each option has its description, its choices and its type', async () => {
  const script = await scriptOf('zsh');
  expect(script).toMatch(/^#compdef annex\n/);
  expect(script).toContain("'trace:show decisions about requests, and their reasons'");
  expect(script).toContain("'--log-format=[The format of log lines]:value:(text json)'");
  expect(script).toContain("'--kubeconfig=[The kubeconfig with the server and the user]:value:_files'");
});

it('fish: each option has its description, its choices and its type', async () => {
  const lines = (await scriptOf('fish')).split('\n');
  expect(lines).toContain(
    "complete -c annex -n '__fish_seen_subcommand_from up' -l log-format -x -a 'text json' -d 'The format of log lines'",
  );
  expect(lines).toContain(
    "complete -c annex -n '__fish_seen_subcommand_from up' -l data-dir -r -F -d 'The directory of the keys, the kubeconfig and the store'",
  );
});

describe.each(['fish'])('%s', (shell) => {
  it.runIf(requireTools(`the completion of ${shell}`, shell))('completes what a command does', async () => {
    const script = `${await scriptOf(shell)}complete -C 'annex kubeconfig '`;
    const { stdout } = spawnSync(shell, ['--no-config', '-c', script], { encoding: 'utf8' });
    expect(stdout).toBe('merge\nremove\n');
  });
});

describe.each(['zsh', 'fish'])('%s', (shell) => {
  it.runIf(requireTools(`the completion of ${shell}`, shell))('accepts the script', async () => {
    using folder = tempFolder('annex-completion-');
    const script = join(folder.path, 'script');
    writeFileSync(script, await scriptOf(shell));
    const { status, stderr } = spawnSync(shell, ['-n', script], { encoding: 'utf8' });
    expect([status, stderr]).toEqual([0, '']);
  });
});
