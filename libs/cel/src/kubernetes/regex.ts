import { compilePattern } from '../functions/pattern.ts';
import type { Library } from '../functions/library.ts';
import { member } from '../typing/declare.ts';
import { listType, types } from '../typing/type.ts';
import { costing, patternSearch } from './call-costs.ts';

const { int, string } = types;

/** Matches of patterns. https://kubernetes.io/docs/reference/using-api/cel/#kubernetes-regex-library */
export const regexLibrary: Library = {
  name: 'kubernetes.regex',
  functions: [
    costing(patternSearch, 'find', member('string_find_string', [string, string], string, find)),
    costing(
      patternSearch,
      'findAll',
      member('string_find_all_string', [string, string], listType(string), findAll),
      member('string_find_all_string_int', [string, string, int], listType(string), findAll),
    ),
  ],
};

function find(text: string, pattern: string): string {
  const matcher = compilePattern(pattern).matcher(text);
  return matcher.find() ? (matcher.group() ?? '') : '';
}

/** The matches in order, as many as are asked for; an empty one that touches the one before is none. */
function findAll(text: string, pattern: string, limit: number | bigint = -1): string[] {
  const matcher = compilePattern(pattern).matcher(text);
  const found: string[] = [];
  let end = -1;
  while ((limit < 0 || found.length < limit) && matcher.find()) {
    const match = matcher.group() ?? '';
    if (match !== '' || matcher.start() !== end) found.push(match);
    end = matcher.end();
  }
  return found;
}
