import { readFileSync, realpathSync } from 'node:fs';
import { open, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { delimiter, dirname, join, resolve } from 'node:path';
import { readFileIfPresent, writeFileAtomically } from '@annex/auth';
import { makeDirectory, OperatorError } from '@annex/runtime';
import { type Document, isMap, isSeq, parseDocument, type YAMLSeq } from 'yaml';

/** The name of the cluster, the user and the context that Annex adds. */
export const contextName = 'annex';

/** Returns the kubeconfig of the user: the first file of KUBECONFIG, as kubectl changes it, or `~/.kube/config`. */
export function userKubeconfig(env: NodeJS.ProcessEnv, adminKubeconfig: string): string {
  const own = resolve(adminKubeconfig);
  const files = (env.KUBECONFIG ?? '').split(delimiter).filter((file) => file !== '');
  return files.find((file) => resolve(file) !== own) ?? join(homedir(), '.kube', 'config');
}

/** Adds the cluster and the user of the administrator's kubeconfig to another one, as its current context. Throws OperatorError. */
export function mergeContext(file: string, adminKubeconfig: string): Promise<void> {
  const admin = readAdmin(adminKubeconfig);
  return change(file, (document) => {
    for (const list of ['clusters', 'users']) {
      const [own] = entries(admin, list).items;
      const copied: unknown = isMap(own) ? own.toJSON() : {};
      replace(document, list, document.createNode({ ...(copied as object), name: contextName }));
    }
    replace(
      document,
      'contexts',
      document.createNode({ name: contextName, context: { cluster: contextName, user: contextName } }),
    );
    document.set('current-context', contextName);
  });
}

/** Removes what {@link mergeContext} added. Throws OperatorError. */
export const removeContext = (file: string): Promise<void> =>
  change(file, (document) => {
    for (const list of ['clusters', 'users', 'contexts']) replace(document, list, undefined);
    if (document.get('current-context') === contextName) document.set('current-context', '');
  });

function readAdmin(file: string): Document {
  try {
    return parseKubeconfig(file, readFileSync(file, 'utf8'));
  } catch (cause) {
    if (cause instanceof OperatorError) throw cause;
    throw new OperatorError('KUBECONFIG_UNUSABLE', (cause as Error).message, { cause });
  }
}

/** Changes the file as kubectl does: under the lock `<file>.lock`, so that no change of another program is lost. */
async function change(path: string, edit: (document: Document) => void): Promise<void> {
  makeDirectory(dirname(resolve(path)));
  const file = targetOf(path);
  const lock = `${file}.lock`;
  try {
    await (await open(lock, 'wx', 0o600)).close();
  } catch (cause) {
    throw new OperatorError(
      'FILE_UNWRITABLE',
      `${file} is being changed by another program: ${(cause as Error).message}`,
      { cause },
    );
  }
  try {
    const document = parseKubeconfig(file, (await readFileIfPresent(file)) ?? '');
    edit(document);
    await writeFileAtomically(file, document.toString({ lineWidth: 0 }), 0o600);
  } finally {
    await rm(lock, { force: true });
  }
}

/** Follows links, so that a link in a home directory stays one. */
function targetOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return resolve(path);
  }
}

function parseKubeconfig(file: string, text: string): Document {
  const document: Document = parseDocument(text);
  const [error] = document.errors;
  if (error !== undefined)
    throw new OperatorError('KUBECONFIG_UNUSABLE', `${file}: ${error.message.split('\n')[0]}`);
  document.contents ??= document.createNode({ apiVersion: 'v1', kind: 'Config' });
  if (!isMap(document.contents))
    throw new OperatorError('KUBECONFIG_UNUSABLE', `${file} is not a kubeconfig`);
  return document;
}

/** Returns a list of the kubeconfig; creates it if it is missing. */
function entries(document: Document, list: string): YAMLSeq {
  const found = document.get(list);
  if (isSeq(found)) return found;
  const created = document.createNode([]) as YAMLSeq;
  document.set(list, created);
  return created;
}

function replace(document: Document, list: string, entry: unknown): void {
  const sequence = entries(document, list);
  sequence.items = sequence.items.filter((item) => !isMap(item) || item.get('name') !== contextName);
  if (entry !== undefined) sequence.items.push(entry);
  if (sequence.items.length > 0) sequence.flow = false;
}
