import { deepEqual } from '@annex/machinery';
import { OperatorError } from '@annex/runtime';
import { type Document, isMap, isSeq, parseDocument, YAMLSeq } from 'yaml';

/** The name of the cluster, the user and the context that Annex adds. */
export const contextName = 'annex';

/** The parser would write warnings to standard error. */
const quiet = { logLevel: 'error' } as const;

/**
 * Returns the text of a kubeconfig with the cluster and the user of another one as its current context, and with its comments. `file`
 * is named by errors. Throws OperatorError.
 */
export function textWithContext(file: string, text: string, admin: Document): string {
  return edited(file, text, (document) => {
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

/** Returns the text without what {@link textWithContext} added. Throws OperatorError. */
export const textWithoutContext = (file: string, text: string): string =>
  edited(file, text, (document) => {
    for (const list of ['clusters', 'users', 'contexts']) replace(document, list, undefined);
    if (document.get('current-context') === contextName) document.set('current-context', '');
  });

function edited(file: string, text: string, edit: (document: Document) => void): string {
  const document = parseKubeconfig(file, text);
  edit(document);
  try {
    return textOf(document);
  } catch (cause) {
    const why = `${file} cannot be changed: ${(cause as Error).message}`;
    throw new OperatorError('KUBECONFIG_UNUSABLE', why, { cause });
  }
}

/** Returns the text of a document. Throws if it would be read as another one, as with some separators of lines in comments. */
function textOf(document: Document): string {
  const text = document.toString({ lineWidth: 0 });
  const read = parseDocument(text, quiet);
  const [error] = read.errors;
  if (error !== undefined) throw error;
  if (!deepEqual(read.toJS(), document.toJS())) throw new Error('it would have another meaning');
  return text;
}

/** Parses a kubeconfig; an empty text is an empty one. Throws OperatorError. */
export function parseKubeconfig(file: string, text: string): Document {
  // The parser reads the beginning of each nested list or object again for those around it.
  if (depthOf(text) > maxKubeconfigDepth)
    throw new OperatorError(
      'KUBECONFIG_UNUSABLE',
      `${file}: it is nested more than ${maxKubeconfigDepth} levels deep`,
    );
  const document: Document = parseDocument(text, quiet);
  const [error] = document.errors;
  if (error !== undefined)
    throw new OperatorError('KUBECONFIG_UNUSABLE', `${file}: ${error.message.split('\n')[0]}`);
  document.contents ??= document.createNode({ apiVersion: 'v1', kind: 'Config' });
  if (!isKubeconfig(document)) throw new OperatorError('KUBECONFIG_UNUSABLE', `${file} is not a kubeconfig`);
  return document;
}

/** As kubectl reads it: a missing list is empty, and a missing kind is Config. */
const isKubeconfig = (document: Document): boolean =>
  isMap(document.contents) &&
  ['Config', '', null, undefined].includes(document.get('kind') as string) &&
  ['clusters', 'users', 'contexts'].every((list) => isSeq(document.get(list) ?? new YAMLSeq()));

/** The maximum number of nested brackets in a kubeconfig. */
export const maxKubeconfigDepth = 100;

/** Returns the greatest number of open brackets, including those in strings and comments. */
function depthOf(text: string): number {
  let [depth, greatest] = [0, 0];
  for (const character of text) {
    if (character === '[' || character === '{') greatest = Math.max(greatest, ++depth);
    else if ((character === ']' || character === '}') && depth > 0) depth--;
  }
  return greatest;
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
