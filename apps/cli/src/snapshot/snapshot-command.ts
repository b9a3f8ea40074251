import { statSync } from 'node:fs';
import { join } from 'node:path';
import { OperatorError } from '@annex/runtime';
import { annexVersion } from '@annex/server';
import { openEtcdStore, readingKubeValues, unreachableStore } from '@annex/process';
import {
  dataDirError,
  openStoreImage,
  restoreStore,
  type Store,
  type StoreImage,
  StoreError,
} from '@annex/storage';
import { readCommandLine } from '../command-line.ts';
import { findDataDir } from '../data-dir.ts';
import { reportErrors } from '../report-errors.ts';
import { type RestoreConfig, restoreOptions } from '../restore-options.ts';
import { type SnapshotConfig, snapshotOptions } from '../snapshot-options.ts';
import type { EtcdSnapshotConfig } from './etcd-snapshot-options.ts';
import { restoreInto } from './restore-into-store.ts';
import { readSnapshot, writeSnapshot } from './snapshot-file.ts';
import { snapshotVersion } from './snapshot-lines.ts';
import { contentOf, type StoreContent } from './store-content.ts';

const oneFile = { min: 1, max: 1 };

/** `annex snapshot`: writes the current data of a store to a file. Resolves to the exit code. */
export async function runSnapshot(argv: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  const syntax = { usage: 'annex snapshot FILE [options]', options: snapshotOptions, words: oneFile };
  const line = readCommandLine(syntax, argv, env);
  if ('exitCode' in line) return line.exitCode;
  const [file = ''] = line.words;
  return await printResult(() =>
    withContent(line.config, env, async (content) => {
      const { count, revision } = content;
      const takenAt = new Date().toISOString();
      await writeSnapshot(file, content, {
        annexSnapshot: snapshotVersion,
        annex: annexVersion,
        takenAt,
        revision,
      });
      const { size } = statSync(file);
      return `${file}: ${count} entries at revision ${revision}, ${size} bytes`;
    }),
  );
}

/** `annex restore`: replaces the data of a store with that of a file. Resolves to the exit code. */
export async function runRestore(argv: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  const syntax = { usage: 'annex restore FILE [options]', options: restoreOptions, words: oneFile };
  const line = readCommandLine(syntax, argv, env);
  if ('exitCode' in line) return line.exitCode;
  const [file = ''] = line.words;
  return await printResult(async () => {
    if (line.config.etcdServers.length > 0) return await restoreEtcd(line.config, file);
    const { entries, header } = await readSnapshot(file);
    const dir = storeDir(line.config, env);
    const { count, revision } = await restore(dir, file, { revision: header.revision, entries });
    return `${dir}: ${count} entries of ${header.takenAt}, at revision ${revision}`;
  });
}

const storeDir = (
  { dataDir, storeDir }: Record<'dataDir' | 'storeDir', string | undefined>,
  env: NodeJS.ProcessEnv,
): string => storeDir ?? join(dataDir ?? findDataDir(env), 'store');

/** Opens what a snapshot is taken of, a directory or etcd, while it is used. */
async function withContent<T>(
  config: SnapshotConfig,
  env: NodeJS.ProcessEnv,
  use: (content: StoreContent) => Promise<T>,
): Promise<T> {
  if (config.etcdServers.length === 0) {
    using image = await imageOf(storeDir(config, env));
    return await use(image);
  }
  return await withEtcd(config, async (store) => {
    const content = await contentOf(store).catch((error: unknown) => {
      throw unreachableStore(config, error);
    });
    return await use(content);
  });
}

/** Connects with etcd while it is used. */
async function withEtcd<T>(config: EtcdSnapshotConfig, use: (store: Store) => Promise<T>): Promise<T> {
  const store = await openEtcdStore(config);
  try {
    return await use(await readingKubeValues(store));
  } finally {
    await store.close();
  }
}

/** Restores into etcd, which servers may use. */
async function restoreEtcd(config: RestoreConfig, file: string): Promise<string> {
  // Reads the whole file first: an error in it must change nothing.
  let count = 0;
  for await (const _ of (await readSnapshot(file)).entries()) count++;
  const { entries, header } = await readSnapshot(file);
  const changes = await withEtcd(config, (store) =>
    restoreInto(store, entries()).catch((error: unknown) => {
      throw unreachableStore(config, error);
    }),
  );
  return `${config.etcdServers.join(',')}: ${count} entries of ${header.takenAt}, ${changes} changes`;
}

async function imageOf(dir: string): Promise<StoreImage> {
  try {
    return await openStoreImage(dir);
  } catch (cause) {
    throw dataDirError(cause as Error);
  }
}

async function restore(dir: string, file: string, source: Parameters<typeof restoreStore>[1]) {
  try {
    return await restoreStore(dir, source);
  } catch (cause) {
    if (cause instanceof OperatorError || !(cause instanceof Error)) throw cause;
    if (cause instanceof StoreError && cause.code === 'invalid')
      throw new OperatorError('FILE_UNREADABLE', `cannot restore ${file}: ${cause.message}`, { cause });
    throw dataDirError(cause);
  }
}

/** Prints the result or the error. Resolves to the exit code. */
async function printResult(run: () => Promise<string>): Promise<number> {
  try {
    process.stdout.write(`${await run()}\n`);
    return 0;
  } catch (error) {
    return reportErrors([error]);
  }
}
