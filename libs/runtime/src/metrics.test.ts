import { expect, test } from 'vitest';
import { createMetrics } from './metrics.ts';

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
  expect(text).toContain('seconds_bucket{le="2",verb="get"} 1');
  expect(text).toMatch(/process_resident_memory_bytes \d+/);
});
