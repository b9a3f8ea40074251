import { readFileSync, readlinkSync, realpathSync } from 'node:fs';
import { open, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { delimiter, dirname, join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { readFileIfPresent, writeFileAtomically } from '@annex/auth';
import { makeDirectory, OperatorError } from '@annex/runtime';
import type { Document } from 'yaml';
import { parseKubeconfig, textWithContext, textWithoutContext } from './kubeconfig-text.ts';

/** Returns the kubeconfig of the user: the first file of KUBECONFIG, as kubectl changes it, or `~/.kube/config`. */
export function userKubeconfig(env: NodeJS.ProcessEnv, adminKubeconfig: string): string {
  const own = resolve(adminKubeconfig);
  const files = (env.KUBECONFIG ?? '').split(delimiter).filter((file) => file !== '');
  return files.find((file) => resolve(file) !== own) ?? join(homedir(), '.kube', 'config');
}

/** Adds the cluster and the user of the administrator's kubeconfig to another one, as its current context. Throws OperatorError. */
export function mergeContext(file: string, adminKubeconfig: string): Promise<void> {
  const admin = readAdmin(adminKubeconfig);
  return change(file, (target, text) => textWithContext(target, text, admin));
}

/** Removes what {@link mergeContext} added. Throws OperatorError. */
export const removeContext = (file: string): Promise<void> => change(file, textWithoutContext);

function readAdmin(file: string): Document {
  try {
    return parseKubeconfig(file, readFileSync(file, 'utf8'));
  } catch (cause) {
    if (cause instanceof OperatorError) throw cause;
    throw new OperatorError('KUBECONFIG_UNUSABLE', (cause as Error).message, { cause });
  }
}

/** Changes the file as kubectl does: under the lock `<file>.lock`, so that no change of another program is lost. */
async function change(path: string, edit: (file: string, text: string) => string): Promise<void> {
  makeDirectory(dirname(resolve(path)));
  const file = targetOf(path);
  const lock = `${file}.lock`;
  await takeLock(file, lock);
  try {
    const text = edit(file, (await readFileIfPresent(file)) ?? '');
    await writeFileAtomically(file, text, 0o600);
  } finally {
    await rm(lock, { force: true });
  }
}

/** Waits while another program changes the file. A lock that stays was left by a program that ended. */
async function takeLock(file: string, lock: string): Promise<void> {
  const deadline = performance.now() + lockTimeoutMs;
  for (;;) {
    try {
      return await (await open(lock, 'wx', 0o600)).close();
    } catch (cause) {
      const { code, message } = cause as NodeJS.ErrnoException;
      if (code !== 'EEXIST') throw new OperatorError('FILE_UNWRITABLE', message, { cause });
      if (performance.now() > deadline) throw heldLock(file, lock);
      await sleep(20);
    }
  }
}

const heldLock = (file: string, lock: string) =>
  new OperatorError('FILE_UNWRITABLE', `another program is changing ${file}; if none is, remove ${lock}`);

/** Milliseconds that changes of other programs may take. Each takes a few milliseconds. */
export const lockTimeoutMs = 1_000;

/** Follows links, so that a link in a home directory stays one, also if its file does not exist yet. */
function targetOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    const link = linkTarget(path);
    return link === undefined ? resolve(path) : resolve(dirname(path), link);
  }
}

function linkTarget(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    return undefined;
  }
}
