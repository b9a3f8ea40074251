import { join } from 'node:path';
import { Client, loadKubeconfig } from '@annex/client';
import { parseOptions } from '@annex/runtime';
import { tempFolder } from '@annex/testkit';
import { startAnnex } from './annex.ts';
import { upOptions } from './up-options.ts';

/** An Annex in the process of a test. */
export interface RunningAnnex {
  url: string;
  /** A client with the administrator's identity. */
  admin: Client;
  /** The file with the administrator's kubeconfig. */
  kubeconfig: string;
  /** The folder of its keys. */
  pki: string;
  stop(): Promise<void>;
}

/** Runs `annex up` in this process: without log output and controllers, on a free port, in a folder that is removed at the end. */
export async function runAnnex(...args: readonly string[]): Promise<RunningAnnex> {
  await using opened = new AsyncDisposableStack();
  const { path } = opened.use(tempFolder());
  const usual = ['--data-dir', path, '--port', '0', '--controllers=', '--log-level', 'off'];
  const parsed = parseOptions(upOptions, [...usual, ...args], {});
  if (parsed.kind !== 'config') throw new Error('the options are invalid');
  const annex = await startAnnex(parsed.config);
  opened.defer(async () => void (await annex.stop()));
  const admin = new Client(await loadKubeconfig(annex.kubeconfig));
  opened.defer(() => admin.close());
  const running = opened.move();
  return {
    url: annex.url,
    admin,
    kubeconfig: annex.kubeconfig,
    pki: join(path, 'pki'),
    stop: () => running.disposeAsync(),
  };
}
