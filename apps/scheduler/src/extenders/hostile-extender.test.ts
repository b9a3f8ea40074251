import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { decodeConfiguration } from '../config/decode.ts';
import { aNode, aPod } from '../cycle/decision.fixture.ts';
import { NodeInfo } from '../objects/node-info.ts';
import { PodInfo } from '../objects/pod-info.ts';
import { Extender } from './extender.ts';

const node = new NodeInfo('n1');
node.setNode(aNode('n1'));
const pod = new PodInfo(aPod('p'));

let ended: (() => void)[] = [];
afterEach(() => {
  ended.forEach((end) => end());
  ended = [];
});

/** Returns an extender whose server responds in this way, and the paths that it is requested for. */
async function extenderOf(respond: (response: ServerResponse, url: string) => void) {
  const paths: string[] = [];
  const server = createServer((request, response) => {
    paths.push(request.url ?? '');
    respond(response, url);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const { extenders } = await decodeConfiguration(
    JSON.stringify({
      apiVersion: 'kubescheduler.config.k8s.io/v1',
      kind: 'KubeSchedulerConfiguration',
      extenders: [
        { urlPrefix: url, filterVerb: 'filter', prioritizeVerb: 'score', weight: 1, httpTimeout: '300ms' },
      ],
    }),
  );
  const [config] = extenders as [(typeof extenders)[number]];
  const extender = new Extender(config);
  ended.push(() => {
    extender.close();
    server.closeAllConnections();
    server.close();
  });
  return { extender, paths };
}

const sending = (text: string) => (response: ServerResponse) => void response.end(text);

it('a response that drips ends after the time of the extender', async () => {
  const { extender } = await extenderOf((response) => {
    response.writeHead(200);
    const drip = setInterval(() => response.write(' '), 20);
    ended.push(() => clearInterval(drip));
  });
  await expect(extender.filter(pod, [node])).rejects.toThrow();
});

it('a redirection is not followed', async () => {
  const { extender, paths } = await extenderOf((response, url) =>
    response.writeHead(307, { location: `${url}/elsewhere` }).end(),
  );
  await expect(extender.filter(pod, [node])).rejects.toThrow(/^failed filter with extender .*, code 307$/);
  expect(paths).toEqual(['/filter']);
});

it.each([
  ['no JSON', '<html>'],
  ['deep JSON', '['.repeat(200_000)],
])('%s fails the decision', async (_name, text) => {
  const { extender } = await extenderOf(sending(text));
  await expect(extender.filter(pod, [node])).rejects.toThrow();
});

it('nodes that were not sent do not come back', async () => {
  const items = [{ metadata: { name: 'other' } }, { metadata: { name: '__proto__' } }, null];
  const { extender } = await extenderOf(sending(JSON.stringify({ Nodes: { items } })));
  expect((await extender.filter(pod, [node])).nodes).toEqual([]);
});

it('nodes that come back as objects are scored without their Pods, as in kube-scheduler', async () => {
  const full = new NodeInfo('n1');
  full.setNode(aNode('n1'));
  full.addPod(pod);
  const { extender } = await extenderOf(sending('{"Nodes":{"items":[{"metadata":{"name":"n1"}}]}}'));
  const [kept] = (await extender.filter(pod, [full])).nodes;
  expect([kept?.name, kept?.pods.size, kept?.allocatable.get('cpu')]).toEqual(['n1', 0, 4_000]);
});

it.each(['"high"', '1e400', '0.5', 'null', '[]'])('the score %s is no score', async (score) => {
  const { extender } = await extenderOf(sending(`[{"Host":"n1","Score":${score}}]`));
  const scores = extender.prioritize(pod, [node]).then(
    (found) => found.get('n1'),
    () => 'refused',
  );
  expect(await scores).toBe(score === 'null' ? 0 : 'refused');
});

const extenderAt = async (parts: object): Promise<Extender> => {
  const { extenders } = await decodeConfiguration(
    JSON.stringify({
      apiVersion: 'kubescheduler.config.k8s.io/v1',
      kind: 'KubeSchedulerConfiguration',
      extenders: [{ filterVerb: 'filter', ...parts }],
    }),
  );
  const extender = new Extender(extenders[0] as (typeof extenders)[number]);
  ended.push(() => extender.close());
  return extender;
};

it.each([
  ['http://[::1', `parse "http://[::1/filter": missing ']' in host`],
  ['http://a b', 'parse "http://a b/filter": invalid character " " in host name'],
  ['', 'Post "/filter": unsupported protocol scheme ""'],
  ['ftp://e', 'Post "ftp://e/filter": unsupported protocol scheme "ftp"'],
  [
    'http://127.0.0.1:1/x/',
    'Post "http://127.0.0.1:1/x/filter": dial tcp 127.0.0.1:1: connect: connection refused',
  ],
])('an extender at %j fails decisions with the message of Go', async (urlPrefix, text) => {
  const extender = await extenderAt({ urlPrefix });
  await expect(extender.filter(pod, [node])).rejects.toThrow(text);
});

it.each<[object, string]>([
  [
    { insecure: true, caData: 'Zm9v' },
    'specifying a root certificates file with the insecure flag is not allowed',
  ],
  [{ caFile: '/nonexistent' }, 'open /nonexistent: no such file or directory'],
  [{ caData: 'Zm9v' }, 'unable to load root certificates: unable to parse bytes as PEM block'],
  [{ certData: 'Zm9v', keyData: 'Zm9v' }, 'tls: failed to find any PEM data in certificate input'],
])('TLS of an extender with %j is refused', async (tlsConfig, text) => {
  await expect(extenderAt({ urlPrefix: 'https://e', enableHTTPS: true, tlsConfig })).rejects.toThrow(
    `couldn't build extenders: ${text}`,
  );
});
