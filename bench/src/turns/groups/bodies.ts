import { byKey, group, textOf } from '../large-objects.ts';
import { media } from '../turn-row.ts';
import {
  core,
  freeOf,
  get,
  json,
  lists,
  maps,
  patch,
  post,
  range,
  remove,
  row,
  type RequestGroup,
} from './request-group.ts';

const deep = (open: string, close: string, n: number) => open.repeat(n) + close.repeat(n);
const secrets = `${core}/secrets`;

export const hostile: RequestGroup = {
  name: 'hostile bodies',
  rows: () => [
    row('deep lists', post(maps, `{"metadata":{"name":"h"},"data":${deep('[', ']', 400_000)}}`), {
      expected: 400,
    }),
    row(
      'deep objects',
      post(
        lists,
        `{"apiVersion":"${group}/v1","kind":"Free","metadata":{"name":"h"},"spec":${'{"a":'.repeat(400_000)}1${'}'.repeat(400_000)}}`,
      ),
      { expected: 400 },
    ),
    row(
      '450 levels',
      post(
        lists,
        `{"apiVersion":"${group}/v1","kind":"Free","metadata":{"name":"h"},"spec":{"x":[${range(150, () => '{"a":'.repeat(450) + '1' + '}'.repeat(450)).join(',')}]}}`,
      ),
    ),
    row(
      'apply 450 levels',
      patch(
        `${lists}/h?fieldManager=a&force=true`,
        media.apply,
        `{"apiVersion":"${group}/v1","kind":"Free","metadata":{"name":"h"},"spec":{"y":[${range(150, () => '{"a":'.repeat(450) + '1' + '}'.repeat(450)).join(',')}],"x":{"y":${'{"a":'.repeat(450)}1${'}'.repeat(450)}}}}`,
      ),
    ),
    row('delete', remove(`${lists}/h`)),
    row('99,000 empty objects', post(lists, freeOf('h', { items: range(99_000, () => ({})) }))),
    row(
      'apply 99,000 empty objects',
      patch(
        `${lists}/h?fieldManager=a&force=true`,
        media.apply,
        freeOf('h', { items: range(99_000, () => ({})) }),
      ),
    ),
    row('delete', remove(`${lists}/h`)),
    row('1,000,000 numbers', post(lists, freeOf('h', { items: range(1_000_000, () => 1) })), {
      expected: 500,
    }),
    row('700,000 numbers', post(lists, freeOf('h', { items: range(700_000, () => 1) }))),
    row('get them', get(`${lists}/h`)),
    row('get them as YAML', get(`${lists}/h`, media.yaml)),
    row('patch them', patch(`${lists}/h`, media.merge, { metadata: { labels: { a: 'b' } } })),
    row(
      'apply 700,000 numbers',
      patch(
        `${lists}/h?fieldManager=a&force=true`,
        media.apply,
        freeOf('h', { items: range(700_000, () => 2) }),
      ),
    ),
    row('delete', remove(`${lists}/h`)),
    row('39,000 members', post(lists, freeOf('h', { o: byKey(39_000, (i) => [`k${i}`, 1]) }))),
    row(
      'patch, 30,000 members more',
      patch(`${lists}/h`, media.merge, { spec: { o: byKey(30_000, (i) => [`m${i}`, 1]) } }),
      { expected: 413 },
    ),
    row(
      'apply, 30,000 members more',
      patch(
        `${lists}/h?fieldManager=a&force=true`,
        media.apply,
        freeOf('h', { o: byKey(30_000, (i) => [`m${i}`, 1]) }),
      ),
      { expected: 413 },
    ),
    row('delete', remove(`${lists}/h`)),
    row('40,000 members', post(lists, freeOf('h', { o: byKey(40_000, (i) => [`k${i}`, 1]) }))),
    row('get', get(`${lists}/h`)),
    row('get as YAML', get(`${lists}/h`, media.yaml)),
    row('patch', patch(`${lists}/h`, media.merge, { metadata: { labels: { a: 'b' } } })),
    row(
      'update',
      {
        method: 'PUT',
        path: `${lists}/h`,
        body: json({ ...freeOf('h', { o: byKey(40_000, (i) => [`k${i}`, 2]) }) }).replace(
          '"name":"h"',
          '"name":"h","resourceVersion":"VERSION"',
        ),
      },
      { needsVersion: true },
    ),
    row(
      'apply',
      patch(
        `${lists}/h?fieldManager=a&force=true`,
        media.apply,
        freeOf('h', { o: byKey(40_000, (i) => [`k${i}`, 1]) }),
      ),
    ),
    row('delete', remove(`${lists}/h`)),
    row('200,000 members', post(lists, freeOf('h', { o: byKey(200_000, (i) => [`k${i}`, 1]) })), {
      expected: 413,
    }),
    row(
      'apply 200,000 members',
      patch(
        `${lists}/h?fieldManager=a`,
        media.apply,
        freeOf('h', { o: byKey(200_000, (i) => [`k${i}`, 1]) }),
      ),
      { expected: 413 },
    ),
    row(
      'YAML, 200,000 members',
      {
        ...post(maps, `metadata:\n  name: h\ndata:\n${range(200_000, (i) => `  k${i}: x\n`).join('')}`),
        type: media.yaml,
      },
      { expected: 413 },
    ),
    row('500,000 lists', post(lists, freeOf('h', { o: range(500_000, () => []) })), { expected: 413 }),
    row(
      'many equal keys',
      post(maps, `{"metadata":{"name":"h"},"data":{${range(39_000, () => '"a":"b"').join(',')}}}`),
      { expected: 201 },
    ),
    row(
      'many equal keys, strict',
      post(
        `${maps}?fieldValidation=Strict`,
        `{"metadata":{"name":"h"},"data":{${range(39_000, () => '"a":"b"').join(',')}}}`,
      ),
      { expected: 400 },
    ),
    row(
      'a repeated and an unknown field among 39,000, strict',
      post(
        `${maps}?fieldValidation=Strict`,
        `{"metadata":{"name":"h","name":"h"},"data":{${range(39_000, (i) => `"k${i}":"${'x'.repeat(60)}"`).join(',')}},"u":1}`,
      ),
      { expected: 400 },
    ),
    row(
      'escapes',
      post(maps, `{"metadata":{"name":"i"},"data":{"a":"${'\\u0001\\n\\t'.repeat(100_000)}"}}`),
      { expected: 201 },
    ),
    row('get escapes as YAML', get(`${maps}/i`, media.yaml)),
    row('get escapes', get(`${maps}/i`)),
    row(
      'text beyond Latin 1',
      post(maps, `{"metadata":{"name":"j"},"data":{"a":"${'日本語'.repeat(110_000)}"}}`),
    ),
    row('get it', get(`${maps}/j`)),
    row('get it as YAML', get(`${maps}/j`, media.yaml)),
    row('get it as protobuf', get(`${maps}/j`, media.protobuf)),
    row('delete', remove(maps)),
    row('YAML, 35,000 keys', {
      ...post(maps, `metadata:\n  name: h\ndata:\n${range(35_000, (i) => `  k${i}: x\n`).join('')}`),
      type: media.yaml,
    }),
    row(
      'YAML, aliases',
      {
        ...post(
          maps,
          `metadata:\n  name: h\na: &a ["x","x","x","x","x","x","x","x","x","x"]\n${range(9, (i) => `${'bcdefghij'[i]}: &${'bcdefghij'[i]} [${range(9, () => `*${'abcdefghi'[i]}`).join(',')}]\n`).join('')}`,
        ),
        type: media.yaml,
      },
      { expected: 400 },
    ),
    row(
      'YAML, deep',
      { ...post(maps, `metadata:\n  name: h\ndata: ${deep('[', ']', 100_000)}\n`), type: media.yaml },
      { expected: 400 },
    ),
    row('YAML, text of lines', {
      ...post(
        lists,
        `apiVersion: ${group}/v1\nkind: Free\nmetadata:\n  name: h\nspec:\n  a: |\n${range(20_000, (i) => `    line ${i} ${textOf(20)}\n`).join('')}`,
      ),
      type: media.yaml,
    }),
    row(
      'invalid keys',
      post(maps, { metadata: { name: 'k' }, data: byKey(30_000, (i) => [`k ${i}`, 'x']) }),
      { expected: 422 },
    ),
    row(
      'garbage as protobuf',
      { ...post(maps, `k8s\0${'\n\x7f'.repeat(700_000)}`), type: media.protobuf },
      { expected: 400 },
    ),
    row('lists, an error at the end', post(maps, `{"a":[${'1,'.repeat(1_500_000)}`), { expected: 400 }),
    row('texts, an error at the end', post(maps, `{"a":[${'"",'.repeat(1_000_000)}`), { expected: 400 }),
    row('escapes, an error at the end', post(maps, `{"a":"${'\\n'.repeat(1_500_000)}`), { expected: 400 }),
    row('a patch, an error at the end', patch(`${maps}/h`, media.merge, `{"a":[${'1,'.repeat(1_500_000)}`), {
      expected: 400,
    }),
    row('a number beyond float64 at the end', post(maps, `{"a":[${'1,'.repeat(1_400_000)}1e999]}`), {
      expected: 400,
    }),
    row('garbage', post(maps, 'x'.repeat(3_000_000)), { expected: 400 }),
    row(
      'Secret, 39,000 keys of data and stringData',
      post(secrets, {
        metadata: { name: 's' },
        data: byKey(39_000, (i) => [`a${i}`, '']),
        stringData: byKey(39_000, (i) => [`b${i}`, '']),
      }),
      { expected: 413 },
    ),
    row(
      'Secret of 1 MB of JSON',
      post(secrets, {
        metadata: { name: 's' },
        type: 'kubernetes.io/dockerconfigjson',
        stringData: { '.dockerconfigjson': `{"a":[${'1,'.repeat(500_000)}1]}` },
      }),
    ),
    row('delete', remove(secrets)),
    row('4 MB', post(maps, `{"a":"${'x'.repeat(4_000_000)}"}`), { expected: 413 }),
    row('delete', remove(maps)),
    row('delete', remove(lists)),
  ],
};
