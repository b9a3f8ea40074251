import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { tempFolder } from '@annex/testkit';
import { afterAll, expect, it } from 'vitest';
import { programsDigest, writePrograms } from './programs.ts';

const run = promisify(execFile);
const folder = tempFolder();
afterAll(() => folder[Symbol.dispose]());

const tools = join(folder.path, "it's a path");
const programs = join(tools, 'assets');
const script = join(folder.path, 'print.mjs');
writeFileSync(script, 'console.log(JSON.stringify(process.argv.slice(2)))');
const command = { node: process.execPath, script };

it.runIf(process.platform !== 'win32')('starts Annex with the arguments, unchanged', async () => {
  await writePrograms(programs, command, '');
  const { stdout } = await run(join(programs, 'etcd'), ['--data-dir=a b', "it's", '']);
  expect(JSON.parse(stdout)).toEqual(['envtest-etcd', '--data-dir=a b', "it's", '']);
});

it.runIf(process.platform !== 'win32').each([
  ['kube-apiserver', '--help', /^ +--service-account-signing-key-file\b/m],
  ['kube-apiserver', '--version', /^Kubernetes v1\.36\.3\n$/],
  ['etcd', '--help', /^ +--unsafe-no-fsync\b/m],
  ['etcd', '--version', /^etcd Version: 3\.5\.\d+\n$/],
])('%s %s responds without Annex', async (program, flag, expected) => {
  await writePrograms(programs, { node: '/none', script }, '');
  expect((await run(join(programs, program), [flag])).stdout).toMatch(expected);
});

it.runIf(process.platform !== 'win32')('kubectl is the one in PATH, or an error', async () => {
  await writePrograms(programs, command, programs);
  await expect(run(join(programs, 'kubectl'))).rejects.toMatchObject({ code: 127 });
  writeFileSync(join(folder.path, 'kubectl'), '#!/bin/sh\necho real "$@"\n', { mode: 0o755 });
  await writePrograms(programs, command, `${programs}:${folder.path}`);
  expect((await run(join(programs, 'kubectl'), ['get', 'ns'])).stdout).toBe('real get ns\n');
});

it('each installation has another folder', () => {
  expect(programsDigest(command)).not.toBe(programsDigest({ ...command, script: '/other' }));
});
