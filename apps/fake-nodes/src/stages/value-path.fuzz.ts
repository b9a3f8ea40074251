import type { JsonObject } from '@annex/machinery';
import { type FuzzTarget, utf8Text } from '@annex/testkit';
import { compileValuePath, type ValuePath } from './value-path.ts';

const object: JsonObject = { a: { b: [{ type: 'x', c: 1 }, { type: 'y' }], 'd/e': 'f' }, g: null };

export const fuzzTargets: FuzzTarget[] = [
  {
    name: 'value-path',
    seeds: ['.a.b', '.a["d/e"]', '.a.b.[].c', '.a.b[1].type', '.a.b.[] | select( .type == "x" ) | .c'],
    dictionary: ['.a', '.b', '[]', '[0]', '["', '"]', ' | ', 'select(', ' == ', ')', 'null'],
    maxBytes: 512,
    run(input) {
      const text = utf8Text(input);
      let path: ValuePath;
      try {
        path = compileValuePath(text);
      } catch (error) {
        if (/^unsupported expression|^a path has at most/.test((error as Error).message)) return;
        throw error;
      }
      if (path(object).includes(null)) throw new Error('a null is no value');
      if (path({}).length > 0) throw new Error('an empty object has no values');
    },
  },
];
