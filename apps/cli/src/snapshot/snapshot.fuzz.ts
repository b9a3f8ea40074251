import { type FuzzTarget, orError, utf8Text } from '@annex/testkit';
import { decodeLine, SnapshotError } from './snapshot-lines.ts';

export const fuzzTargets: FuzzTarget[] = [
  {
    name: 'snapshot',
    seeds: [
      '{"annexSnapshot":1,"annex":"0.1.0","revision":5}',
      '{"key":"/registry/a","createRevision":1,"modRevision":2,"version":1,"value":"{}","expiresAt":5}',
      '{"end":1}',
      '{"key":"k","createRevision":1,"modRevision":2,"version":1,"base64":"AA=="}',
    ],
    maxBytes: 256,
    run(input) {
      for (const line of [1, 2]) orError(() => decodeLine(utf8Text(input), line), [SnapshotError]);
    },
  },
];
