import { expect, test } from 'vitest';
import { lastPrinted, startProcess } from './process.ts';

const node = (script: string) => ({ args: ['-e', script] });

test('a process is ready when a line matches, and stops on request', async () => {
  const script = "console.log('x'); console.error('ready on 17'); setInterval(() => {}, 1000)";
  const running = await startProcess(process.execPath, { ...node(script), until: /ready on (\d+)/ });
  expect(running.ready?.[1]).toBe('17');
  expect((await running.waitFor(/^x$/))[0]).toBe('x');
  expect(await running.stop()).toBe('SIGTERM');
});

test('a process that ends before it is ready is reported with its output', async () => {
  const started = startProcess(process.execPath, { ...node("console.log('no port')"), until: /ready/ });
  await expect(started).rejects.toThrow(/ended with 0 before a line matched \/ready\/; it printed:\nno port/);
});

test('a command that does not exist is reported', async () => {
  await expect(startProcess('/nowhere/at-all', { until: /x/ })).rejects.toThrow('ENOENT');
});

test('every line is reported when it is printed', async () => {
  const notified: string[] = [];
  const onLine = (line: string) => void notified.push(line);
  const running = await startProcess(process.execPath, { ...node("console.log('a\\nb')"), onLine });
  await running.exited;
  expect(notified).toEqual(['a', 'b']);
});

test('the last output of a process is available after its end', async () => {
  const script = "for (let i = 1; i <= 20; i++) console.log('line', i)";
  await (
    await startProcess(process.execPath, node(script))
  ).exited;
  const [command, first, ...rest] = lastPrinted().split('\n').slice(-16);
  expect(command).toContain(script);
  expect([first, rest.at(-1)]).toEqual(['line 6', 'line 20']);
});
