import { describe, expect, test } from 'vitest';
import { maxAgentIdBytes, readAgentHeaders } from './agent-headers.ts';
import { hostOfAddress, Identifiers } from './identifiers.ts';

describe('headers of agents', () => {
  test.each([
    ['no id', [], 'expected one agent ID in the context, got []'],
    ['two ids', ['agentid', 'x', 'Agentid', 'y'], 'expected one agent ID in the context, got [x y]'],
    [
      'an id of more than maxAgentIdBytes',
      ['agentid', 'x'.repeat(maxAgentIdBytes + 1)],
      'the agent ID is too long',
    ],
    [
      'two sets of identifiers',
      ['agentid', 'x', 'agentidentifiers', 'host=a', 'agentidentifiers', 'host=b'],
      'expected at most one set of agent identifiers in the context, got [host=a host=b]',
    ],
    [
      'identifiers that are not URL encoded',
      ['agentid', 'x', 'agentidentifiers', 'host=%zz'],
      'fail to parse url encoded string: invalid URL escape "%zz"',
    ],
    [
      'identifiers with a semicolon between them',
      ['agentid', 'x', 'agentidentifiers', 'host=a;host=b'],
      'fail to parse url encoded string: invalid semicolon separator in query',
    ],
  ])('%s', (_sentence, raw, message) => {
    expect(() => readAgentHeaders(raw)).toThrow(message);
  });

  test('unknown identifiers are accepted', () => {
    expect(readAgentHeaders(['agentid', 'x', 'agentidentifiers', 'planet=mars&host=a'])).toMatchObject({
      id: 'x',
    });
  });
});

test.each([
  ['an IPv4 address', 'ipv4=10.0.0.1', '10.0.0.1:80', true],
  ['another IPv4 address', 'ipv4=10.0.0.1', '10.0.0.2:80', false],
  ['an IPv6 address in another notation', 'ipv6=0:0::1', '[::1]:80', true],
  ['a host in another case', 'host=LocalHost', 'localhost:80', true],
  ['a network', 'cidr=10.0.0.0/8', '10.9.9.9:80', true],
  ['several identifiers', 'host=a&host=b', 'b:1', true],
])('identifiers name %s', (_sentence, text, address, isNamed) => {
  expect(new Identifiers(text).includes(hostOfAddress(address))).toBe(isNamed);
});

test.each([
  ['default-route=true', true],
  ['default-route=maybe', false],
  ['', false],
])('%s', (text, isDefault) => expect(new Identifiers(text).isDefaultRoute).toBe(isDefault));
