import { decodeYaml, isObject, type JsonObject } from '@annex/machinery';
import { OperatorError, readOptionFile, usableFile } from '@annex/runtime';

/** Reads the YAML or JSON documents of a file; empty ones are skipped. Throws OperatorError FILE_UNREADABLE. */
export async function readDocuments(path: string): Promise<JsonObject[]> {
  const text = await readOptionFile(path);
  return await usableFile(path, async () => {
    const documents: JsonObject[] = [];
    for (const part of text.split(/^---(?:[ \t].*)?$/m)) {
      const { value } = await decodeYaml(part);
      if (value === null || value === undefined) continue;
      if (!isObject(value)) throw new Error('a document is no object');
      documents.push(value);
    }
    return documents;
  });
}

/** Throws OperatorError FILE_UNREADABLE with all errors of files. */
export function requireNoErrors(paths: readonly string[], errors: readonly string[]): void {
  if (errors.length > 0)
    throw new OperatorError('FILE_UNREADABLE', `cannot use ${paths.join(', ')}: ${errors.join('; ')}`);
}
