import { definitionManifest } from '@annex/testkit';
import { beforeAll, describe, expect, it } from 'vitest';
import { expectNoHarm, type HostileServer, startHostile, statusOf } from './hostile-server.ts';
import { wildcard, wildcardDefinition, wildcards } from './hostile-wildcards.ts';

let server: HostileServer;
beforeAll(async () => {
  server = await startHostile();
  await server.makeKind(wildcardDefinition, wildcards);
});
expectNoHarm(() => server);

const create = (path: string, body: string) =>
  server.ask({ method: 'POST', path, headers: { 'Content-Type': 'application/json' }, body });

describe('numbers are returned as they were sent', () => {
  it.each([
    ['9223372036854775807', '9223372036854775807'],
    ['-9223372036854775808', '-9223372036854775808'],
    ['9007199254740993', '9007199254740993'],
    ['-0', '0'],
    ['1.0', '1'],
    ['1e3', '1000'],
  ])('%s in a field of integers and in one without a schema', async (sent, kept) => {
    const name = `n${sent.replace(/\W/g, '-')}`;
    const { status, text } = await create(wildcards, wildcard(name, `"amount":${sent},"spec":{"n":${sent}}`));
    expect(status).toBe(201);
    expect(text).toContain(`"amount":${kept},`);
    expect((await server.ask({ path: `${wildcards}/${name}` })).text).toContain(`"spec":{"n":${kept}}`);
  });

  it.each([['9223372036854775808'], ['1e30'], ['0.5']])('%s is no int64', async (sent) => {
    const response = await create(wildcards, wildcard('no', `"amount":${sent}`));
    expect(statusOf(response)).toMatchObject({ code: 422, reason: 'Invalid' });
  });

  it.each([
    ['a huge exponent', '1e999999999'],
    ['a tiny exponent', '1e-999999999'],
    ['a hundred thousand digits', '9'.repeat(100_000)],
  ])('a quantity of %s is refused', async (_what, cpu) => {
    const quota = {
      apiVersion: 'v1',
      kind: 'ResourceQuota',
      metadata: { name: 'q' },
      spec: { hard: { cpu } },
    };
    const response = await create('/api/v1/namespaces/default/resourcequotas', JSON.stringify(quota));
    expect([400, 422]).toContain(response.status);
  });
});

describe('regular expressions of users', () => {
  it('one that backtracks forever in other engines is evaluated immediately', async () => {
    const response = await create(wildcards, wildcard('word', `"word":"${'a'.repeat(50_000)}!"`));
    expect(statusOf(response)).toMatchObject({ code: 422 });
  });

  it.each(['(((a{100}){100}){100}){100}', '((((a?){30}){30}){30}){30}', '(', '(?=a)', '\\1'])(
    'a CRD with the pattern %s is refused',
    async (pattern) => {
      const schema = { properties: { word: { type: 'string', pattern } } };
      const body = definitionManifest({ group: 'hostile.example', kind: 'Pattern', schema });
      const path = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
      const response = statusOf(await create(path, JSON.stringify(body)));
      expect(response.code).toBe(422);
      expect(response.message).toContain('must be a valid regular expression');
    },
  );
});
