import { OperatorError } from '@annex/runtime';
import { StoreError } from '@annex/storage';
import { expect, it } from 'vitest';
import { fullDisk, unreachableStore } from './etcd-store.ts';

const servers = { etcdServers: ['https://a:2379', 'https://b:2379'] };
const unavailable = new StoreError('unavailable', 'deadline exceeded\n');

it('an error of etcd names its servers', () => {
  const error = unreachableStore(servers, unavailable);
  expect(error).toBeInstanceOf(OperatorError);
  expect(error).toMatchObject({
    code: 'STORE_UNREACHABLE',
    message: 'cannot reach https://a:2379, https://b:2379: deadline exceeded',
  });
});

it.each<[what: string, config: object, error: Error]>([
  ['an error of another part', servers, new Error('other')],
  ['an error of a store without servers', {}, unavailable],
])('%s stays as it is', (_, config, error) => {
  expect(unreachableStore(config, error)).toBe(error);
});

it('an error of a full disk is one that the operator can fix, and others stay as they are', () => {
  expect(fullDisk(new StoreError('noSpace', 'no space is left'))).toMatchObject({
    code: 'DISK_FULL',
    message: 'no space is left',
  });
  expect(fullDisk(unavailable)).toBe(unavailable);
});
