import { execFile } from 'node:child_process';
import { isDeepStrictEqual, promisify } from 'node:util';
import { ClientConfigError, environmentProxy, parseKubeconfig } from '@annex/client';
import { beforeAll, describe, expect, it } from 'vitest';
import { buildGoClients } from './clients/go-clients.ts';
import { type ProxyCase, randomProxies } from './clients/random-proxies.ts';

const suite = 'proxies as net/http and client-go choose them';
const program = await buildGoClients(suite);

interface GoProxy {
  scheme: string;
  host: string;
  port: string;
  user: string;
  password: string;
}

/** The output of the Go program for one case. */
interface GoReading {
  env: GoProxy | null;
  error: string;
  invalid: boolean;
  kubeconfig: string;
  configured: GoProxy | null;
}

async function readByGo(cases: readonly ProxyCase[]): Promise<GoReading[]> {
  const running = promisify(execFile)(program ?? '', ['proxies'], { maxBuffer: 2 ** 28 });
  running.child.stdin?.end(cases.map((each) => `${JSON.stringify(each)}\n`).join(''));
  const { stdout } = await running;
  return stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as GoReading);
}

const describeProxy = (url: URL | undefined): GoProxy | null =>
  url === undefined
    ? null
    : {
        scheme: url.protocol.slice(0, -1),
        host: url.hostname,
        port: url.port,
        user: decodeURIComponent(url.username),
        password: decodeURIComponent(url.password),
      };

/** The proxy with the host and port that a URL of Node has; `refused` for schemes, hosts, ports and passwords that the client refuses. */
function usable(go: GoProxy): GoProxy | 'refused' {
  const { scheme, host, port, password } = go;
  const isRefused = !/^(?:https?|socks5h?)$/.test(scheme) || host === '' || password.includes('\uFFFD');
  const text = `${scheme}://${host.includes(':') ? `[${host}]` : host}:${port}`;
  if (isRefused || !URL.canParse(text)) return 'refused';
  return { ...go, host: new URL(text).hostname, port: new URL(text).port };
}

async function settled(read: () => unknown): Promise<unknown> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof ClientConfigError) return error.message;
    throw error;
  }
}

const withoutCredentials = (text: string): string => text.slice(text.lastIndexOf('@') + 1);

/** What the client chooses by the environment, given what Go chooses. The client refuses invalid values, and Go ignores them. */
function expectedOfEnvironment({ env, error, invalid }: GoReading): unknown {
  if (error !== '') return error;
  if (env !== null) return usable(env);
  return invalid ? 'refused or none' : null;
}

/** The error of a kubeconfig, given that of client-go, or the usable proxy. The client has a scheme more, and shows no credentials. */
function expectedOfKubeconfig({ kubeconfig, configured }: GoReading, { proxyUrl }: ProxyCase): unknown {
  if (configured !== null) return usable(configured) === 'refused' ? 'refused' : proxyUrl;
  if (proxyUrl === '') return undefined;
  return kubeconfig
    .replace('invalid configuration: ', '')
    .replaceAll(JSON.stringify(proxyUrl), () => JSON.stringify(withoutCredentials(proxyUrl)))
    .replace(`parse: ${proxyUrl}`, () => `parse: ${withoutCredentials(proxyUrl)}`)
    .replace('https, or socks5', 'https, socks5, or socks5h');
}

async function readKubeconfig({ server, proxyUrl }: ProxyCase): Promise<unknown> {
  const cluster = { server, 'proxy-url': proxyUrl };
  const config = {
    clusters: [{ name: 'c', cluster }],
    contexts: [{ name: 'c', context: { cluster: 'c' } }],
    'current-context': 'c',
  };
  return (await parseKubeconfig(JSON.stringify(config))).proxyUrl;
}

function matches(expected: unknown, found: unknown): boolean {
  const isRefusal = typeof found === 'string';
  if (expected === 'refused') return isRefusal;
  if (expected === 'refused or none') return isRefusal || found === null;
  return isDeepStrictEqual(expected, found);
}

describe.skipIf(program === undefined)(suite, () => {
  const cases = randomProxies(4_000, 20261126);
  let byGo: GoReading[];
  beforeAll(async () => {
    byGo = await readByGo(cases);
  });

  it('the environment names the same proxy, or fails with the same text', async () => {
    const differences = [];
    for (const [i, each] of cases.entries()) {
      const expected = expectedOfEnvironment(byGo[i]!);
      const found = await settled(() => describeProxy(environmentProxy(new URL(each.server), each.env)));
      if (!matches(expected, found)) differences.push({ ...each, expected, found });
    }
    expect(byGo.filter(({ env }) => env !== null).length).toBeGreaterThan(cases.length / 5);
    expect(differences.slice(0, 10)).toEqual([]);
  });

  it('a kubeconfig has the same proxy-url, or the same error', async () => {
    const differences = [];
    for (const [i, each] of cases.entries()) {
      const isAdded = each.proxyUrl.startsWith('socks5h:');
      const expected = isAdded ? each.proxyUrl : expectedOfKubeconfig(byGo[i]!, each);
      const found = await settled(() => readKubeconfig(each));
      if (!matches(expected, found)) differences.push({ ...each, expected, found });
    }
    expect(byGo.filter(({ configured }) => configured !== null).length).toBeGreaterThan(cases.length / 5);
    expect(differences.slice(0, 10)).toEqual([]);
  });
});
