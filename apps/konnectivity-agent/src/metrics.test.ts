import { expect, test } from 'vitest';
import { startAgent } from './agent.fixture.ts';

test('the metrics of apiserver-network-proxy have its names', async () => {
  const { metrics } = await startAgent();
  const names = [...(await metrics.render()).matchAll(/^# TYPE konnectivity_network_proxy_agent_(\S+)/gm)];
  expect(names.map(([, name]) => name).sort()).toEqual([
    'dial_duration_seconds',
    'endpoint_dial_failure_total',
    'known_server_count',
    'lease_list_latency_seconds',
    'lease_lists_total',
    'lease_watches_total',
    'open_endpoint_connections',
    'open_server_connections',
    'server_connection_failure_count',
    'stream_errors_total',
    'stream_packets_total',
  ]);
});

test('packets, failed dials and broken streams are counted', async () => {
  const agent = await startAgent();
  await expect(agent.dial('127.0.0.1:1')).rejects.toThrow('connection refused');
  expect(await agent.value('endpoint_dial_failure_total{reason="unknown"}')).toBe(1);
  expect(await agent.value('stream_packets_total{packet_type="DIAL_REQ",segment="to_agent"}')).toBe(1);
  expect(await agent.value('stream_packets_total{packet_type="DIAL_RSP",segment="from_agent"}')).toBe(1);
  agent.streams[0]!.cancel();
  await expect.poll(() => agent.value('server_connection_failure_count{direction="from_server"}')).toBe(1);
});

test('a server count that is out of date corrects itself with the next stream', async () => {
  const headers = { servercount: '3' };
  const agent = await startAgent({ headers });
  await expect.poll(() => agent.value('known_server_count')).toBe(3);
  headers.servercount = '1';
  agent.streams[0]!.cancel();
  await expect.poll(() => agent.value('known_server_count')).toBe(1);
});
