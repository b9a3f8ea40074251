import { expect, it } from 'vitest';
import { maxUnknownLength, nearestName } from './nearest-name.ts';

const names = ['secure-port', 'bind-address', 'etcd-servers', 'etcd-prefix', 'tls-cert-file', 'v'];

it.each<[string, string, string | undefined]>([
  ['a missing letter', 'secur-port', 'secure-port'],
  ['two swapped letters', 'bnid-address', 'bind-address'],
  ['letters that are swapped after a wrong one', 'xbnid-address', 'bind-address'],
  ['the beginning of a name', 'bind', 'bind-address'],
  ['the end of a name', 'port', 'secure-port'],
  ['a singular', 'etcd-server', 'etcd-servers'],
  ['a word that resembles none', 'colour', undefined],
  ['a letter that resembles none', 'x', undefined],
  ['a very long word', 'etcd-servers'.padEnd(maxUnknownLength + 1, 's'), undefined],
])('%s', (_what, unknown, nearest) => expect(nearestName(unknown, names)).toBe(nearest));
