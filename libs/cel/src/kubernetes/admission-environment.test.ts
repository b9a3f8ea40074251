import { describe, expect, it } from 'vitest';
import { Program } from '../evaluation/program.ts';
import type { Value } from '../values/value.ts';
import { admissionEnvironment, LazyVariables } from './admission-environment.ts';
import { type AuthorizationCheck, AuthorizerValue, ResourceCheck } from './authorizer.ts';

const checks: AuthorizationCheck[] = [];
const authorizer = new AuthorizerValue((check) => {
  checks.push(check);
  return check.verb === 'fail'
    ? { allowed: false, reason: '', error: 'broken' }
    : { allowed: check.verb === 'get', reason: 'because', error: '' };
});
const nothing = {
  group: 'g',
  resource: 'r',
  subresource: '',
  namespace: '',
  name: '',
  fieldSelector: '',
  labelSelector: '',
};
const variables: Record<string, Value> = {
  object: { spec: { replicas: 9 } },
  oldObject: null,
  params: null,
  namespaceObject: null,
  request: { name: 'a', userInfo: { username: 'u' } },
  authorizer,
  'authorizer.requestResource': new ResourceCheck(authorizer, nothing),
};

function evaluate(text: string): unknown {
  const environment = admissionEnvironment({ params: true, authorizer: true });
  try {
    return new Program(environment.compile(text), environment).evaluate(variables);
  } catch (error) {
    return (error as Error).message;
  }
}

describe('expressions of admission', () => {
  it.each([
    ['object.spec.replicas <= 5', { value: false, cost: 4 }],
    ['object.x', 'no such key: x'],
    ['oldObject == null && params == null && namespaceObject == null', { value: true, cost: 6 }],
    ['request.userInfo.username', { value: 'u', cost: 3 }],
    ['request.nme', "ERROR: <input>:1:8: undefined field 'nme'\n | request.nme\n | .......^"],
    ["authorizer.group('').resource('pods').check('get').allowed()", { value: true, cost: 350_004 }],
    ["authorizer.requestResource.check('create').reason()", { value: 'because', cost: 350_002 }],
    ["authorizer.path('/x').check('fail').errored()", { value: true, cost: 350_003 }],
    ["authorizer.path(' ').check('get').allowed()", 'path must not be empty'],
    ["authorizer.group('').resource('').check('get').allowed()", 'resource must not be empty'],
    ["authorizer.serviceAccount('ns', '-').path('/').check('get').allowed()", 'Invalid service account name'],
  ])('%s', (text, outcome) => {
    expect(evaluate(text)).toEqual(outcome);
  });

  it('submit the checks of the expression to the authorizer', () => {
    checks.length = 0;
    evaluate(
      "authorizer.serviceAccount('n', 's').group('apps').resource('deployments').subresource('scale').namespace('a')" +
        ".name('b').fieldSelector('x=y').labelSelector('k').check('get').allowed()",
    );
    expect(checks).toEqual([
      {
        verb: 'get',
        serviceAccount: { namespace: 'n', name: 's' },
        resource: {
          group: 'apps',
          resource: 'deployments',
          subresource: 'scale',
          namespace: 'a',
          name: 'b',
          fieldSelector: 'x=y',
          labelSelector: 'k',
        },
      },
    ]);
  });

  it('declare neither params nor the authorizer by default', () => {
    const environment = admissionEnvironment({ params: false, authorizer: false });
    expect(() => environment.compile('params == null')).toThrow("undeclared reference to 'params'");
    expect(() => environment.compile("authorizer.path('/')")).toThrow("undeclared reference to 'authorizer'");
  });

  it('evaluate a variable once, on first access', () => {
    const calls: string[] = [];
    const lazy = new LazyVariables(
      new Map([
        ['a', () => (calls.push('a'), 1)],
        ['b', () => (calls.push('b'), 2)],
      ]),
    );
    expect([lazy.find('b'), lazy.find('b'), lazy.find('c')]).toEqual([2, 2, undefined]);
    expect(calls).toEqual(['b']);
  });
});
