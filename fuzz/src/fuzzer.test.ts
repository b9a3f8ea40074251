import { describe, expect, it } from 'vitest';
import type { FuzzTarget } from '@annex/testkit';
import { CurrentInput } from './current-input.ts';
import { Edges } from './edges.ts';
import type { Finding } from './finding.ts';
import { Fuzzer } from './fuzzer.ts';
import { countBranches } from './instrument.ts';
import { minimized } from './minimize.ts';
import { Random } from './random.ts';

type Handle = (text: string) => void;

/** Fuzzes a function in source code, with counters in its branches. */
async function fuzz(source: string, seeds: string[], inputs: number, growthMs = 0): Promise<Finding[]> {
  const edges = new Edges();
  const instrumented = countBranches(source, edges.total);
  edges.reserve(instrumented.count);
  const handle = new Function(`return ${instrumented.source}`)() as Handle;
  const target: FuzzTarget = {
    name: 'test',
    seeds,
    maxBytes: 64,
    maxGrownBytes: 8_192,
    run: (input) => handle(String(Buffer.from(input))),
  };
  const findings: Finding[] = [];
  const parts = { target, edges, random: new Random(1), current: new CurrentInput(), usedMemory: () => 0 };
  const fuzzer = new Fuzzer({ ...parts, report: (finding) => findings.push(finding) });
  await fuzzer.start(seeds.map((seed) => Buffer.from(seed)));
  await fuzzer.run(() => fuzzer.inputs >= inputs || findings.length > 0);
  const end = performance.now() + growthMs;
  if (growthMs > 0) await fuzzer.checkGrowth(() => findings.length > 0 || performance.now() > end);
  return findings;
}

describe('a fuzzer', () => {
  it('reaches code behind conditions, one by one, and minimizes what fails there', async () => {
    const source = `function (text) {
      if (text[0] === 'k') if (text[1] === '8') if (text[2] === 's') if (text[3] === '!') throw new TypeError('reached');
    }`;
    const [finding] = await fuzz(source, ['a'], 2_000_000);
    expect(finding).toMatchObject({ kind: 'error', detail: expect.stringContaining('TypeError: reached') });
    expect(String(Buffer.from(finding!.input))).toBe('k8s!');
  });

  it('finds work that grows with the square of its input', async () => {
    const source = `function (text) {
      let found = 0;
      for (const a of text) for (const b of text) if (a !== b) found++;
    }`;
    const [finding] = await fuzz(source, ['ab'], 300, 20_000);
    expect(finding).toMatchObject({ kind: 'growth' });
  });

  it('finds nothing in linear work', async () => {
    const source = `function (text) { let found = 0; for (const a of text) if (a === 'a') found++; }`;
    expect(await fuzz(source, ['ab'], 300, 300)).toEqual([]);
  });
});

describe('counters of branches', () => {
  it.each([
    ['if (a) b(); else if (c) d();', 'if (a) {N;b();} else {N;if (c) {N;d();}else{N}}'],
    ['const x = a ? b : c ?? d;', 'const x = a ? (N,(b)) : (N,(c ?? (N,(d))));'],
    ['for (const x of y) f(x);', 'for (const x of y) {N;f(x);}'],
    ['const f = (x: number): X => ({ x });', 'const f = (x: number): X => (N,(({ x })));'],
    ['function f() { return 1; }', 'function f() {N; return 1; }'],
    ["switch (a) { case 'b': return c; }", "switch (a) { case 'b':N; return c; }"],
    ['try { a(); } catch { b(); }', 'try { a(); } catch {N; b(); }'],
  ])('are in %s', (text, expected) => {
    const { source } = countBranches(text, 0);
    expect(source.replace(/__annexEdges\[(\d+)\]\+\+\|\|__annexFirst\(\1\)/g, 'N')).toBe(expected);
  });
});

describe('minimizing', () => {
  it('removes parts without effect', async () => {
    const input = Buffer.from('abcXdefYghi');
    const hasBoth = async (candidate: Uint8Array) => /X.*Y/.test(String(Buffer.from(candidate)));
    expect(String(await minimized(input, hasBoth, 5_000))).toBe('XY');
  });
});
