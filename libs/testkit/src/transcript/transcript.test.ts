import { describe, expect, test } from 'vitest';
import { applySubstitution, normalizeOutput, pythonRegExp } from './normalize-output.ts';
import { directiveOf, parseTranscript, type TranscriptStep } from './transcript.ts';

test('a transcript has headers, files and commands', () => {
  const text = `title: A title
needs: events
# a comment
<<< dir/a.yaml
kind: A
>>>
@until Established
@sub x => y
$ kubectl get a
> --watch
| NAME
|
! warning
= 1
$ true
= 0
`;
  expect(parseTranscript(text)).toEqual({
    headers: { title: 'A title', needs: 'events' },
    items: [
      { kind: 'file', path: 'dir/a.yaml', text: 'kind: A\n' },
      {
        kind: 'command',
        command: 'kubectl get a\n--watch',
        directives: ['until Established', 'sub x => y'],
        output: ['| NAME', '|', '! warning'],
        code: 1,
      },
      { kind: 'command', command: 'true', directives: [], output: [], code: 0 },
    ],
  });
});

test('a directive has a value, is empty, or is absent', () => {
  const step = { directives: ['until a b', 'quiet'] } as unknown as TranscriptStep;
  expect([directiveOf(step, 'until'), directiveOf(step, 'quiet'), directiveOf(step, 'sort')]).toEqual([
    'a b',
    '',
    undefined,
  ]);
});

describe('output is normalized', () => {
  test.each([
    ['an age in a column', 'a   1   3m4s', 'a   1   <age>'],
    ['an age before a column', 'a   12s   b', 'a   <age>   b'],
    ['a column header behind an age', 'NAME AGE     IMAGE', 'NAME AGE   IMAGE'],
    ['no age in a name', 'v1.33s x-5m', 'v1.33s x-5m'],
    ['a time', '2026-01-01T00:00:00Z', '<time>'],
    ['a uid', '0b7a3c9e-1d2f-4a5b-8c6d-7e8f9a0b1c2d', '<uid>'],
    ['a revision', '"resourceVersion": "17"', '"resourceVersion": "<rv>"'],
    ['a log prefix', 'E0102 03:04:05.678901   12345 memcache', 'E<klog> memcache'],
    [
      'no error of a watch that kubectl itself ended',
      'I0102 03:04:05.678901   12345 reflector.go:556] "Warning: watch ended with error" err="very short watch: x"\nb',
      'b',
    ],
    ['the head of a diff', 'diff -u -N /tmp/LIVE-1/a /tmp/MERGED-2/a', 'diff MERGED/a'],
    ['the address', 'https://127.0.0.1:6443/x 127.0.0.1:6443', '<server>/x <host>'],
  ])('%s', (_what, output, text) => {
    const literals = [
      ['https://127.0.0.1:6443', '<server>'],
      ['127.0.0.1:6443', '<host>'],
    ] as const;
    expect(normalizeOutput(output, literals)).toBe(text);
  });
});

test('substitutions are written as in Python', () => {
  expect(applySubstitution(String.raw`(?m)^(a|b).* => \1$`, 'ax\ncx\nbx')).toBe('a$\ncx\nb$');
  expect(pythonRegExp('(?s)a.b').test('a\nb')).toBe(true);
});
