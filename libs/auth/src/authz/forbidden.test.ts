import { goQuote } from '@annex/machinery';
import { describe, expect, it } from 'vitest';
import { forbiddenMessage, forbiddenStatus } from './forbidden.ts';
import { ask, userOf } from './rbac.fixture.ts';

const bob = userOf('bob');

describe('forbiddenMessage', () => {
  const rows: [string, Parameters<typeof forbiddenMessage>, string][] = [
    [
      'a namespaced resource',
      [ask(bob, 'list', 'pods', { namespace: 'default' })],
      'User "bob" cannot list resource "pods" in API group "" in the namespace "default"',
    ],
    [
      'a subresource at the cluster scope',
      [ask(bob, 'get', 'nodes/status', { apiGroup: 'g' })],
      'User "bob" cannot get resource "nodes/status" in API group "g" at the cluster scope',
    ],
    [
      'a path with a reason',
      [ask(bob, 'get', '/x'), 'RBAC: why'],
      'User "bob" cannot get path "/x": RBAC: why',
    ],
    ['markup in a name', [ask(userOf('<b>&'), 'get', '/x')], 'User "&lt;b&gt;&amp;" cannot get path "/x"'],
    [
      'no verb at all',
      [ask(bob, '', 'secrets')],
      'User "bob" cannot  resource "secrets" in API group "" at the cluster scope',
    ],
  ];
  it.each(rows)('%s', (_, args, expected) => {
    expect(forbiddenMessage(...args)).toBe(expected);
  });

  it('becomes a Status that names the object', () => {
    const { status, headers } = forbiddenStatus(
      ask(bob, 'get', 'widgets', { apiGroup: 'example.com', name: 'w' }),
    );
    expect(status).toMatchObject({
      message:
        'widgets.example.com "w" is forbidden: User "bob" cannot get resource "widgets" in API group "example.com" at the cluster scope',
      reason: 'Forbidden',
      details: { name: 'w', group: 'example.com', kind: 'widgets' },
      code: 403,
    });
    expect(headers).toEqual({ 'X-Content-Type-Options': 'nosniff' });
  });
});

describe('goQuote', () => {
  const rows: [string, string][] = [
    ['plain', '"plain"'],
    ['a"b\\c', '"a\\"b\\\\c"'],
    ['line\nbell\x07nul\0del\x7f', '"line\\nbell\\anul\\x00del\\x7f"'],
    ['größe 日本', '"größe 日本"'],
    ['\u2028\u{e0001}', '"\\u2028\\U000e0001"'],
  ];
  it.each(rows)('%j', (text, expected) => {
    expect(goQuote(text)).toBe(expected);
  });
});
