import { buffer } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { startServer, type TestServer } from './server.fixture.ts';

const prefix = 'konnectivity_network_proxy_server_';

test('the metrics of apiserver-network-proxy have its names', async () => {
  const { metrics } = await startServer();
  const names = [...(await metrics.render()).matchAll(/^# TYPE konnectivity_network_proxy_server_(\S+)/gm)];
  expect(names.map(([, name]) => name).sort()).toEqual([
    'culled_leases_count',
    'dial_duration_seconds',
    'dial_failure_count',
    'established_connections',
    'frontend_write_duration_seconds',
    'full_receive_channels',
    'grpc_connections',
    'http_connections',
    'lease_delete_latency_seconds',
    'lease_delete_total',
    'lease_list_latency_seconds',
    'lease_list_total',
    'pending_backend_dials',
    'ready_backend_connections',
    'ready_backends',
    'stream_errors_total',
    'stream_packets_total',
  ]);
});

test('packets of both sides are counted', async () => {
  const server = await startServer();
  const agent = await server.agent('agent');
  const dialed = server.dialer.dial('10.0.0.1:443');
  const { random } = await agent.next('DIAL_REQ');
  agent.packets.send({ type: 'DIAL_RSP', error: '', connectId: 1, random });
  agent.packets.send({ type: 'DATA', connectId: 1, error: '', data: Buffer.from('x') });
  agent.packets.send({ type: 'CLOSE_RSP', error: '', connectId: 1 });
  await buffer(await dialed);
  const lines = (await server.metrics.render())
    .split('\n')
    .filter((line) => line.startsWith(`${prefix}stream_packets_total{`));
  // DIAL_RSP, DATA and CLOSE_RSP.
  expect(await server.value('frontend_write_duration_seconds_count')).toBe(3);
  const counts = lines.map((line) =>
    line.replace(/^.*packet_type="(\w+)",segment="(\w+)"\} (\d+)$/, '$2 $1 $3'),
  );
  expect(counts.sort()).toEqual([
    'from_agent CLOSE_RSP 1',
    'from_agent DATA 1',
    'from_agent DIAL_RSP 1',
    'from_client DIAL_REQ 1',
    'to_agent DIAL_REQ 1',
    'to_client CLOSE_RSP 1',
    'to_client DATA 1',
    'to_client DIAL_RSP 1',
  ]);
});

test('a stream that breaks the protocol is counted with its code', async () => {
  const server = await startServer();
  const agent = await server.agent('agent');
  agent.packets.sendMessage(Buffer.from([8, 4]));
  await agent.closed;
  await expect
    .poll(() =>
      server.value('stream_errors_total{code="InvalidArgument",packet_type="Unknown",segment="from_agent"}'),
    )
    .toBe(1);
});

test('a response to a dial that is not pending is counted', async () => {
  const server = await startServer();
  const agent = await server.agent('agent');
  agent.packets.send({ type: 'DIAL_RSP', error: '', connectId: 1, random: 1n });
  expect(await agent.next('CLOSE_REQ')).toEqual({ type: 'CLOSE_REQ', connectId: 1 });
  expect(await server.value('dial_failure_count{reason="unrecognized_response"}')).toBe(1);
});

test.each([
  ['from_client', (server: TestServer) => server.client()],
  ['from_agent', (server: TestServer) => server.agent('agent')],
])('a connection that breaks is an error with the code Canceled: %s', async (segment, connect) => {
  const server = await startServer();
  const { packets, session } = await connect(server);
  packets.send({ type: 'DATA', connectId: 7, error: '', data: Buffer.from('x') });
  await expect
    .poll(() => server.value(`stream_packets_total{packet_type="DATA",segment="${segment}"}`))
    .toBe(1);
  session.destroy();
  await expect
    .poll(() =>
      server.value(`stream_errors_total{code="Canceled",packet_type="Unknown",segment="${segment}"}`),
    )
    .toBe(1);
});
