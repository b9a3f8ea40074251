import { startProcess, tempFolder } from '@annex/testkit';
import type { TestProject } from 'vitest/node';
import { annexCommand } from './annex-command.ts';

/** Creates the keys of all servers of a run once, because that takes a third of a start. */
export default async function makeKeys(project: TestProject): Promise<() => void> {
  const folder = tempFolder('annex-keys-');
  const made = await startProcess(process.execPath, {
    args: [annexCommand, 'pki', '--data-dir', folder.path],
  });
  if ((await made.exited) !== 0) throw new Error(`no keys could be made:\n${made.lines.join('\n')}`);
  project.provide('keys', folder.path);
  return () => folder[Symbol.dispose]();
}

declare module 'vitest' {
  interface ProvidedContext {
    /** The folder whose `pki` has the keys of every server. */
    keys: string;
  }
}
