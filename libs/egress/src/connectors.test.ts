import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { createMetrics, type Metrics } from '@annex/runtime';
import {
  type ConnectResponse,
  createTestCA,
  holdTimeouts,
  startConnectServer,
  type TempFolder,
  tempFolder,
} from '@annex/testkit';
import { acceptStream, createStreamServer, type ReceivedPacket } from '@annex/tunnel';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createEgressSelector } from './egress-selector.ts';
import { egressDialTimeoutMs, maxConnectHeadBytes, maxConnectReasonBytes } from './limits.ts';

let folder: TempFolder;
let metrics: Metrics;
const closing: (() => unknown)[] = [];
beforeEach(() => {
  folder = tempFolder();
  metrics = createMetrics();
});
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
  folder[Symbol.dispose]();
});

async function selectorOf(proxyProtocol: string, transport: object) {
  const connection = { proxyProtocol, transport };
  const selector = await createEgressSelector(
    JSON.stringify({
      apiVersion: 'apiserver.k8s.io/v1beta1',
      kind: 'EgressSelectorConfiguration',
      egressSelections: [{ name: 'cluster', connection }],
    }),
    metrics,
  );
  closing.push(() => selector.close());
  return selector;
}

/** A destination that says who it is, and returns what it receives. */
async function startDestination(): Promise<number> {
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    socket.write('first ');
    socket.pipe(socket);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  closing.push(() => server.close());
  return (server.address() as AddressInfo).port;
}

const to = { host: 'clock.default.svc', port: 443 };

async function connectOverSocket(respond?: ConnectResponse) {
  const path = join(folder.path, 'socket');
  const proxy = await startConnectServer(await startDestination(), { path, ...(respond ? { respond } : {}) });
  closing.push(() => proxy[Symbol.asyncDispose]());
  return {
    dial: (await selectorOf('HTTPConnect', { uds: { udsName: path } })).dialerFor('cluster'),
    path,
    proxy,
  };
}

const refused =
  (response: string): ConnectResponse =>
  () => ({ response, joins: false });

describe('HTTPConnect', () => {
  it('over a Unix socket sends the request of kube-apiserver, and loses no byte', async () => {
    const { dial, proxy } = await connectOverSocket(() => ({
      response: 'HTTP/1.1 200 Connection Established\r\n\r\nearly ',
      joins: true,
    }));
    const connection = await dial?.(to);
    connection?.end('echoed');
    expect(await text(connection as never)).toBe('early first echoed');
    expect(proxy.heads).toEqual(['CONNECT clock.default.svc:443 HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n']);
    const { render } = metrics;
    expect(await render()).toContain(
      'apiserver_egress_dialer_dial_start_total{protocol="http_connect",transport="uds"} 1',
    );
    expect(await render()).toContain(
      'apiserver_egress_dialer_dial_duration_seconds_count{protocol="http_connect",transport="uds"} 1',
    );
  });

  it('puts an IPv6 address in brackets', async () => {
    const { dial, proxy } = await connectOverSocket();
    (await dial?.({ host: '::1', port: 1 }))?.destroy();
    expect(proxy.heads[0]).toContain('CONNECT [::1]:1 ');
  });

  it('over TCP verifies both sides', async () => {
    const ca = createTestCA('ca');
    const { certificate, key } = ca.issue({ commonName: 'proxy', dnsNames: ['proxy.example'] });
    const client = ca.issue({ commonName: 'kube-apiserver' });
    const pems = { 'ca.crt': ca.certificate, 'tls.crt': client.certificate, 'tls.key': client.key };
    for (const [name, pem] of Object.entries(pems)) writeFileSync(join(folder.path, name), pem);
    const tls = { cert: certificate, key, ca: ca.certificate, requestCert: true };
    const proxy = await startConnectServer(await startDestination(), { tls });
    closing.push(() => proxy[Symbol.asyncDispose]());
    const files = { clientCert: join(folder.path, 'tls.crt'), clientKey: join(folder.path, 'tls.key') };
    const caBundle = join(folder.path, 'ca.crt');
    const url = `https://127.0.0.1:${proxy.port}`;
    const dialBy = async (tlsConfig: object) =>
      (await selectorOf('HTTPConnect', { tcp: { url, tlsConfig } })).dialerFor('cluster')?.(to);
    const connection = await dialBy({ ...files, caBundle, tlsServerName: 'proxy.example' });
    connection?.end('echoed');
    expect(await text(connection as never)).toBe('first echoed');
    await expect(dialBy({ ...files, caBundle })).rejects.toThrow(
      "tls: failed to verify certificate: x509: cannot validate certificate for 127.0.0.1 because it doesn't contain any IP SANs",
    );
    await expect(dialBy({ ...files, tlsServerName: 'proxy.example' })).rejects.toThrow(
      'tls: failed to verify certificate: x509: certificate signed by unknown authority',
    );
    expect(await metrics.render()).toContain(
      'apiserver_egress_dialer_dial_failure_count{protocol="http_connect",stage="connect",transport="tcp"} 2',
    );
  });

  it.each([
    [
      'no agent',
      'HTTP/1.1 500 Internal Server Error\r\nContent-Length: 51\r\n\r\ncurrently no tunnels available: No agent available',
      'proxy error from SOCKET while dialing clock.default.svc:443, code 500: 500 Internal Server Error: currently no tunnels available: No agent available',
    ],
    [
      'the beginning of a long reason',
      `HTTP/1.1 502 Bad Gateway\r\n\r\n${'a'.repeat(maxConnectReasonBytes)}bc`,
      `502 Bad Gateway: ${'a'.repeat(maxConnectReasonBytes)}`,
    ],
    [
      'a refused connection without a reason',
      'HTTP/1.1 502 Bad Gateway\r\n\r\n',
      'proxy error from SOCKET while dialing clock.default.svc:443, code 502: 502 Bad Gateway',
    ],
    [
      'another successful status',
      'HTTP/1.1 204 No Content\r\n\r\n',
      'proxy error from SOCKET while dialing clock.default.svc:443, code 204: 204 No Content',
    ],
    [
      'another protocol',
      'SSH-2.0-x\r\n\r\n',
      'reading HTTP response from CONNECT to clock.default.svc:443 via proxy SOCKET failed: malformed HTTP response "SSH-2.0-x"',
    ],
    [
      'no response',
      '',
      'reading HTTP response from CONNECT to clock.default.svc:443 via proxy SOCKET failed: unexpected EOF',
    ],
    [
      'a head that is too large',
      `HTTP/1.1 200 OK\r\nX: ${'a'.repeat(maxConnectHeadBytes)}`,
      'reading HTTP response from CONNECT to clock.default.svc:443 via proxy SOCKET failed: the response head is too large',
    ],
  ])('reports %s', async (_, response, message) => {
    const { dial, path } = await connectOverSocket(refused(response));
    const failed = await dial?.(to).then(String, (error: Error) => error.message);
    expect(failed?.endsWith(message.replace('SOCKET', path))).toBe(true);
    expect(await metrics.render()).toContain('stage="proxy",transport="uds"} 1');
  });

  it('KON-017 reports a proxy server that does not listen on the socket of udsName', async () => {
    const path = join(folder.path, 'none');
    const selector = await selectorOf('HTTPConnect', { uds: { udsName: path } });
    await expect(selector.dialerFor('cluster')?.(to)).rejects.toThrow(
      `dial unix ${path}: connect: no such file or directory`,
    );
    expect(await metrics.render()).toContain('stage="connect",transport="uds"} 1');
  });

  it('gives up a proxy server that does not respond', async () => {
    using held = holdTimeouts();
    const { dial, proxy } = await connectOverSocket(() => ({ response: 'HTTP/1.1 200', joins: true }));
    const dialed = dial?.(to);
    void dialed?.catch(() => undefined);
    while (proxy.heads.length === 0) await new Promise(setImmediate);
    held.expire(egressDialTimeoutMs);
    await expect(dialed).rejects.toThrow('i/o timeout');
  });
});

describe('GRPC', () => {
  async function startTunnel(serve: (packet: ReceivedPacket) => object | undefined) {
    const path = join(folder.path, 'tunnel');
    const server = createStreamServer({
      tls: undefined,
      maxStreams: 10,
      maxConnections: 10,
      firstStreamMs: 5_000,
      stream(stream) {
        const packets = acceptStream(stream);
        packets.start({
          packet(packet) {
            const response = serve(packet);
            if (response !== undefined) packets.send(response as never);
          },
          ended: () => packets.end(),
          closed: () => undefined,
        });
      },
    });
    await once(server.listen(path), 'listening');
    closing.push(() => server.close());
    return (await selectorOf('GRPC', { uds: { udsName: path } })).dialerFor('cluster');
  }

  it('opens connections through the tunnel', async () => {
    const addresses: string[] = [];
    const dial = await startTunnel((packet) => {
      if (packet.type === 'DATA') return { ...packet };
      if (packet.type !== 'DIAL_REQ') return undefined;
      addresses.push(packet.address);
      return { type: 'DIAL_RSP', error: '', connectId: 1, random: packet.random };
    });
    const connection = await dial?.(to);
    connection?.write('echoed');
    const [bytes] = (await once(connection as never, 'data')) as [Buffer];
    expect([bytes.toString(), addresses]).toEqual(['echoed', ['clock.default.svc:443']]);
    const gauge = 'konnectivity_network_proxy_client_client_connections';
    expect(await metrics.render()).toContain(`${gauge}{status="ok"} 1`);
    expect(await metrics.render()).toContain(`${gauge}{status="dialing"} 0`);
    const closed = once(connection as never, 'close');
    connection?.destroy();
    await closed;
    expect(await metrics.render()).toContain(`${gauge}{status="ok"} 0`);
  });

  it('reports the reason of the agent', async () => {
    const dial = await startTunnel((packet) =>
      packet.type === 'DIAL_REQ'
        ? {
            type: 'DIAL_RSP',
            error: 'dial tcp 10.0.0.1:443: i/o timeout',
            connectId: 0,
            random: packet.random,
          }
        : undefined,
    );
    await expect(dial?.(to)).rejects.toThrow('dial tcp 10.0.0.1:443: i/o timeout');
    const rendered = await metrics.render();
    expect(rendered).toContain('protocol="grpc",stage="proxy",transport="uds"} 1');
    expect(rendered).toContain('konnectivity_network_proxy_client_dial_failure_total{reason="endpoint"} 1');
  });

  it('reports a server that does not listen at once', async () => {
    const path = join(folder.path, 'none');
    const selector = await selectorOf('GRPC', { uds: { udsName: path } });
    await expect(selector.dialerFor('cluster')?.(to)).rejects.toThrow(`cannot reach ${path}: `);
    expect(await metrics.render()).toContain('protocol="grpc",stage="connect",transport="uds"} 1');
  });
});
