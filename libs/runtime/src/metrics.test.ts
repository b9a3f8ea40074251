import { expect, test } from 'vitest';
import { createMetrics, renderFamilies } from './metrics.ts';

test('metrics are rendered for Prometheus', async () => {
  const metrics = createMetrics();
  metrics.counter('requests_total', 'Requests.', ['verb']).inc({ verb: 'get' });
  metrics.counter('requests_total', 'Requests.', ['verb']).inc({ verb: 'get' }, 2);
  const gauge = metrics.gauge('watchers', 'Watchers.');
  gauge.inc();
  gauge.inc({}, 4);
  gauge.dec();
  metrics.gauge('size', 'Size.', [], (size) => size.set({}, 7));
  metrics.histogram('seconds', 'Seconds.', ['verb'], [1, 2]).observe({ verb: 'get' }, 1.5);
  const text = await metrics.render();
  expect(text).toContain('requests_total{verb="get"} 3');
  expect(text).toContain('watchers 4');
  expect(text).toContain('size 7');
  expect(text).toContain('seconds_bucket{verb="get",le="2"} 1');
  expect(text).toContain('seconds_bucket{verb="get",le="+Inf"} 1');
  expect(text).toContain('seconds_sum{verb="get"} 1.5');
  expect(text).toMatch(/process_resident_memory_bytes \d+/);
});

test('a series is shared by all callers; a metric without labels is there from the start', async () => {
  const metrics = createMetrics();
  const counter = metrics.counter('answers_total', 'Answers.', ['code', 'verb']);
  const series = counter.with({ verb: 'get', code: 200 });
  series.inc();
  counter.inc({ code: 200, verb: 'get' });
  expect(counter.with({ code: 200, verb: 'get' })).toBe(series);
  metrics.counter('events_total', 'Events.');
  const seconds = metrics.histogram('waits', 'Waits.', [], [0.1, 1]).with({});
  for (const value of [0.1, 0.2, 3]) seconds.observe(value);
  const lines = (await metrics.render()).split('\n').filter((line) => /^(answers|events|waits)/.test(line));
  expect(lines).toEqual([
    'answers_total{code="200",verb="get"} 2',
    'events_total 0',
    'waits_bucket{le="0.1"} 1',
    'waits_bucket{le="1"} 2',
    'waits_bucket{le="+Inf"} 3',
    'waits_sum 3.3',
    'waits_count 3',
  ]);
});

test('labels and bounds of buckets have the order and the text of Go', async () => {
  const metrics = createMetrics();
  const bounds = [0.000001, 0.0001, 0.5, 100_000, 1_000_000, 1_234_567];
  metrics.histogram('sizes', 'Sizes.', ['z', 'a'], bounds).observe({ z: 1, a: 2 }, 0);
  metrics.gauge('states', 'States.', ['z', 'a']).set({ z: 1, a: 2 }, 3);
  const lines = (await metrics.render()).split('\n').filter((line) => /^(sizes|states)/.test(line));
  expect(lines).toEqual([
    ...['1e-06', '0.0001', '0.5', '100000', '1e+06', '1.234567e+06', '+Inf'].map(
      (le) => `sizes_bucket{a="2",z="1",le="${le}"} 1`,
    ),
    'sizes_sum{a="2",z="1"} 0',
    'sizes_count{a="2",z="1"} 1',
    'states{a="2",z="1"} 3',
  ]);
});

test('a label that a metric does not have is an error', () => {
  const counter = createMetrics().counter('answers_total', 'Answers.', ['code']);
  expect(() => counter.inc({ verb: 'get' } as never)).toThrow('answers_total has no label verb');
});

test('many series of one metric are rendered in pieces, under one head', async () => {
  const metrics = createMetrics();
  const numbers = Array.from({ length: 2500 }, (_, i) => i);
  const counter = metrics.counter('answers_total', 'Answers.', ['n']);
  const gauge = metrics.gauge('sizes', 'Sizes.', ['n']);
  for (const n of numbers) {
    counter.inc({ n });
    gauge.set({ n }, n);
  }
  const text = await metrics.render();
  const linesOf = (name: string) => text.split('\n').filter((line) => line.includes(name));
  expect(linesOf('answers_total')).toEqual([
    '# HELP answers_total Answers.',
    '# TYPE answers_total counter',
    ...numbers.map((n) => `answers_total{n="${n}"} 1`),
  ]);
  expect(linesOf('sizes')).toEqual([
    '# HELP sizes Sizes.',
    '# TYPE sizes gauge',
    ...numbers.map((n) => `sizes{n="${n}"} ${n}`),
  ]);
  expect(text).not.toContain('\n\n\n');
  const families = await metrics.families();
  expect((await renderFamilies(families)).split('\n').filter((line) => line.includes('sizes'))).toEqual(
    linesOf('sizes'),
  );
});
