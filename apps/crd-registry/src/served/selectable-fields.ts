import type { KubeObject } from '@annex/machinery';
import type { CrdVersion } from '../crd/crd.ts';
import { firstMatch, printText, tryCompile } from './columns.ts';

/** Returns the field labels of a version, with functions that return the text to compare. */
export function selectableFieldsOf(version: CrdVersion): Map<string, (object: KubeObject) => string> {
  const fields = new Map<string, (object: KubeObject) => string>();
  for (const { jsonPath } of version.selectableFields ?? []) {
    const path = tryCompile(jsonPath);
    fields.set(jsonPath.replace(/^\./, ''), (object) => {
      const value = path && firstMatch(path, object);
      return value === undefined || value === null ? '' : printText(value);
    });
  }
  return fields;
}
