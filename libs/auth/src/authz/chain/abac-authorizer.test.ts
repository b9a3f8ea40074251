import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { tempFolder } from '@annex/testkit';
import { describe, expect, it } from 'vitest';
import { ConfigurationError } from '../../configuration-file.ts';
import { ask, userOf } from '../rbac.fixture.ts';
import { abacAuthorizer } from './abac-authorizer.ts';
import { readAbacPolicies } from './abac-policies.ts';

const policy = (spec: object) =>
  JSON.stringify({ apiVersion: 'abac.authorization.kubernetes.io/v1beta1', kind: 'Policy', spec });

async function read(...lines: string[]) {
  using folder = tempFolder();
  const file = join(folder.path, 'policies');
  writeFileSync(file, lines.join('\n'));
  try {
    return await readAbacPolicies(file);
  } catch (error) {
    throw new ConfigurationError((error as Error).message.replace(file, 'FILE'));
  }
}

const decide = async (line: string, attributes: ReturnType<typeof ask>) => {
  const { decision } = await abacAuthorizer(await read('# a comment', '', line)).authorize(attributes);
  return decision === 'allow';
};

// Decisions, rules and texts are those of kube-apiserver v1.36.3 with the same file.
describe('policies in a file', () => {
  const eve = userOf('eve', 'dev', 'system:authenticated');
  const every = { namespace: '*', resource: '*', apiGroup: '*' };
  const rows: [what: string, line: string, attributes: ReturnType<typeof ask>, allowed: boolean][] = [
    ['a user', policy({ user: 'eve', ...every }), ask(eve, 'create', 'pods'), true],
    ['not another user', policy({ user: 'bob', ...every }), ask(eve, 'get', 'pods'), false],
    [
      'not a user outside of the group',
      policy({ user: 'eve', group: 'ops', ...every }),
      ask(eve, 'get', 'pods'),
      false,
    ],
    ['every authenticated user', policy({ user: '*', ...every }), ask(eve, 'get', 'pods'), true],
    ['no unauthenticated user', policy({ user: '*', ...every }), ask(userOf('x'), 'get', 'pods'), false],
    ['no user, if the policy names none', policy(every), ask(eve, 'get', 'pods'), false],
    ['readers', policy({ user: 'eve', readonly: true, ...every }), ask(eve, 'watch', 'pods'), true],
    ['not writers', policy({ user: 'eve', readonly: true, ...every }), ask(eve, 'create', 'pods'), false],
    ['a path', policy({ group: 'dev', nonResourcePath: '/foo*' }), ask(eve, 'get', '/foo/bar'), true],
    ['no other path', policy({ group: 'dev', nonResourcePath: '/foo/*' }), ask(eve, 'get', '/foo'), false],
    ['everything, without a version', '{"user":"eve"}', ask(eve, 'get', '/x'), true],
  ];
  it.each(rows)('allow %s', async (_what, line, attributes, allowed) => {
    expect(await decide(line, attributes)).toBe(allowed);
  });

  it('grant permissions to a user', async () => {
    const lines = [
      policy({ user: 'eve', readonly: true, ...every }),
      policy({ user: 'eve', nonResourcePath: '/x', namespace: '*' }),
    ];
    expect(abacAuthorizer(await read(...lines)).rulesFor(eve, 'a')).toEqual({
      rules: [
        { verbs: ['get', 'list', 'watch'], apiGroups: ['*'], resources: ['*'] },
        { verbs: ['*'], nonResourceURLs: ['/x'] },
      ],
      problems: [],
    });
  });

  const refusals: [line: string, why: string][] = [
    [
      '{bad',
      "couldn't get version/kind; json parse error: invalid character 'b' looking for beginning of object key string",
    ],
    [
      '{"apiVersion":"v1","kind":"Pod"}',
      'no kind "Pod" is registered for version "v1" in scheme "pkg/runtime/scheme.go:111"',
    ],
    ['{"user":5}', 'json: cannot unmarshal number into Go struct field Policy.user of type string'],
    [
      policy({ readonly: 'x' }),
      'json: cannot unmarshal string into Go struct field PolicySpec.spec.readonly of type bool',
    ],
  ];
  it.each(refusals)('are refused with the line %s', async (line, why) => {
    await expect(read('', line)).rejects.toThrow(
      new ConfigurationError(`error reading policy file FILE, line 2: ${line}: ${why}`),
    );
  });

  it('must be there', async () => {
    await expect(readAbacPolicies('/nowhere/policies')).rejects.toThrow(
      new ConfigurationError('open /nowhere/policies: no such file or directory'),
    );
  });
});
