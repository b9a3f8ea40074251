import { once } from 'node:events';
import { statSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { tempFolder } from '@annex/testkit';
import { expect, it, onTestFinished } from 'vitest';
import { listen } from './listen.ts';

const folder = () => {
  const { path, [Symbol.dispose]: remove } = tempFolder('annex-listen-');
  onTestFinished(remove);
  return path;
};

it.each([
  ['127.0.0.1', /^127\.0\.0\.1:\d+$/],
  ['::1', /^\[::1\]:\d+$/],
])('the address of a port on %s', async (host, expected) => {
  const listening = await listen(createServer(), { host, port: 0 });
  expect(listening.address).toMatch(expected);
  await listening.end();
});

it('a port that is in use is an error of the operator', async () => {
  const first = await listen(createServer(), { host: '127.0.0.1', port: 0 });
  const port = Number(first.address.split(':')[1]);
  await expect(listen(createServer(), { host: '127.0.0.1', port })).rejects.toMatchObject({
    code: 'PORT_IN_USE',
    message: `127.0.0.1:${port} is in use`,
  });
  await first.end();
});

it('the mask protects a socket, which replaces one that was left behind', async () => {
  const path = join(folder(), 'socket');
  const place = { path, mask: 0o077, deleteExisting: true };
  const first = await listen(createServer(), place);
  const second = await listen(createServer(), place);
  expect(second.address).toBe(path);
  expect(statSync(path).mode & 0o777).toBe(0o700);
  await Promise.all([first.end(), second.end()]);
});

it.each([true, false])('a file that is not a socket stays: deleteExisting %s', async (deleteExisting) => {
  const path = join(folder(), 'file');
  writeFileSync(path, 'content');
  await expect(listen(createServer(), { path, mask: 0o077, deleteExisting })).rejects.toMatchObject({
    code: 'ADDRESS_UNAVAILABLE',
    message: `cannot listen on ${path}: listen EADDRINUSE: address already in use ${path}`,
  });
});

it('a folder that is missing is named', async () => {
  const path = join(folder(), 'none', 'socket');
  await expect(listen(createServer(), { path, mask: 0o077, deleteExisting: true })).rejects.toMatchObject({
    code: 'ADDRESS_UNAVAILABLE',
    message: `cannot listen on ${path}: there is no folder ${dirname(path)}`,
  });
});

it('a server that refuses connections keeps the open ones until its end', async () => {
  const server = createServer((socket) => void socket.pipe(socket));
  const listening = await listen(server, { host: '127.0.0.1', port: 0 });
  const port = Number(listening.address.split(':')[1]);
  const open = connect(port, '127.0.0.1');
  await once(server, 'connection');
  listening.refuse();
  const [refused] = await once(connect(port, '127.0.0.1'), 'error');
  expect(refused).toMatchObject({ code: 'ECONNREFUSED' });
  open.write('x');
  expect(String((await once(open, 'data'))[0])).toBe('x');
  const closed = once(open, 'close');
  await listening.end();
  await closed;
});
