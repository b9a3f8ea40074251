import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { DecisionTrace } from '@annex/kinds';
import { TraceLog } from './trace-log.ts';

const traced = (auditId: string) => ({ auditId }) as DecisionTrace;

// The limit: `--remembered-traces`.
it('keeps the newest traces up to its capacity, in order', () => {
  fc.assert(
    fc.property(fc.nat(5), fc.array(fc.string(), { maxLength: 20 }), (capacity, ids) => {
      const log = new TraceLog(capacity);
      for (const id of ids) log.add(traced(id));
      const kept = capacity === 0 ? [] : ids.slice(-capacity);
      expect(log.all().map(({ auditId }) => auditId)).toEqual(kept);
    }),
  );
});

it('notifies followers of served requests until they unsubscribe', () => {
  const log = new TraceLog(0);
  const seen: string[] = [];
  const stop = log.follow(({ auditId }) => seen.push(auditId));
  log.finish(traced('a'));
  stop();
  log.finish(traced('b'));
  expect(seen).toEqual(['a']);
});
