import { expect, it } from 'vitest';
import { goCount, goFlag, goList, goMap, goPointer, goStruct, goStructPointer, goText } from './struct.ts';

const inner = goStruct([['URL', 'url', goText]]);
const outer = goStruct([
  ['Name', 'name', goText],
  ['On', 'on', goFlag],
  ['Count', 'count', goCount],
  ['Limit', 'limit', goPointer],
  ['One', 'one', inner],
  ['Maybe', 'maybe', goStructPointer([['URL', 'url', goText]])],
  ['Many', 'many', goList(inner)],
  ['Named', 'named', goMap(inner)],
]);

it.each([
  [
    'absent fields have the empty values of their types',
    {},
    '{"Name":"","On":false,"Count":0,"Limit":null,"One":{"URL":""},"Maybe":null,"Many":null,"Named":null}',
  ],
  [
    'fields are in the order of the type, keys of maps are sorted',
    {
      named: { b: {}, a: { url: 'u' } },
      many: [{}],
      maybe: {},
      one: { url: 'v' },
      limit: 0,
      count: 1,
      on: true,
      name: 'n',
      unknown: 1,
    },
    '{"Name":"n","On":true,"Count":1,"Limit":0,"One":{"URL":"v"},"Maybe":{"URL":""},"Many":[{"URL":""}],"Named":{"a":{"URL":"u"},"b":{"URL":""}}}',
  ],
])('%s', (_what, value, expected) => {
  expect(JSON.stringify(outer(value))).toBe(expected);
});
