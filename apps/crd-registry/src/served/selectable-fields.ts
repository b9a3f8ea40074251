import type { KubeObject } from '@annex/machinery';
import type { CrdVersion } from '../definition/crd.ts';
import { firstMatch, printText, tryCompile } from './columns.ts';

/** Field selector labels of a version with the text that each selects by. */
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
