import { expect, it } from 'vitest';
import { statuszText } from './zpages.ts';

it('the status names the start, and the time since', () => {
  const started = Date.UTC(2026, 10, 6, 12, 40, 37);
  const lines = statuszText(started, started + 3_723_000).split('\n');
  expect(lines.slice(0, 2)).toEqual(['', 'kube-scheduler statusz']);
  expect(lines).toContain('Started: Fri Nov 06 12:40:37 UTC 2026');
  expect(lines).toContain('Up: 1 hr 02 min 03 sec');
});
