import { afterEach, expect, it, vi } from 'vitest';
import { readYaml, yamlTimeoutMs } from './yaml-thread.ts';

afterEach(() => void vi.useRealTimers());

it('a text that takes longer than yamlTimeoutMs is refused, and the texts behind it are read', async () => {
  const text = `data:\n${'  key: "value"\n'.repeat(4000)}`;
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const [slow, next] = [readYaml(text), readYaml(`a: 1\n${text}`)];
  vi.advanceTimersByTime(yamlTimeoutMs);
  vi.useRealTimers();
  await expect(slow).rejects.toThrow(`yaml: reading it takes more than ${yamlTimeoutMs} milliseconds`);
  expect((await next).value).toEqual({ a: 1, data: { key: 'value' } });
});
