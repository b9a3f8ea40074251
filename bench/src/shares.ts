import { Buffer } from 'node:buffer';
import { type Bare, startBare } from './bare.ts';
import { type EncodedRequest, Callers } from './callers.ts';
import { until } from './load.ts';
import { accessReview } from './objects.ts';
import { cpuMs } from './process-facts.ts';
import type { Row } from './scenario.ts';
import type { Target } from './target.ts';

const callers = 16;
const slices = 20;
const warmAfter = 10_000;

/**
 * Measures the CPU time of a bare `node:https` server, for the same request and a response of the same length, as a share of that of a
 * server. It shows how near the server is to the limit of Node. Both are called alternately, so that other work on the machine affects both
 * equally.
 */
const share = (
  name: string,
  measures: string,
  prepare: (target: Target, bare: Bare) => Promise<EncodedRequest>,
): Row => ({
  name: `share of ${name}`,
  measures: `${measures} by ${callers}: the CPU time of a bare node:https server as a share of the server's`,
  unit: '%',
  rounds: 1,
  skip: ({ pids }) => (pids.length > 0 ? undefined : 'needs --peer-pid'),
  async run(target, { seconds }) {
    await using bare = await startBare(serviceName);
    const request = await prepare(target, bare);
    const response = await target.api.must(request.method, request.path, request.body);
    await bare.api.must('PUT', request.path, response.toString());
    using own = await Callers.open(target.config, callers);
    using plain = await Callers.open(bare.config, callers);
    // Servers run for days, so the warm-up of the engine is not measured.
    for (const server of [plain, own]) await warmUp(server, request, seconds);
    const values: number[] = [];
    for (let i = 0; i < slices; i++) {
      const least = await cpuOfResponse(plain, [bare.pid], request, seconds / 2);
      const needed = await cpuOfResponse(own, target.pids, request, seconds / 2);
      values.push((100 * least) / needed);
    }
    return { values };
  },
});

async function warmUp(server: Callers, request: EncodedRequest, seconds: number): Promise<void> {
  for (let sent = 0, i = 0; sent < warmAfter && i < 10; i++) sent += await server.send(request, seconds);
}

/** Resolves to the milliseconds of CPU time for one response. */
async function cpuOfResponse(
  server: Callers,
  pids: readonly number[],
  request: EncodedRequest,
  seconds: number,
): Promise<number> {
  const before = cpuMs(pids);
  const responses = await server.send(request, seconds);
  return (cpuMs(pids) - before) / responses;
}

const service = { namespace: 'default', name: 'bench-bare' };
/** The name that the certificate of the bare server needs. */
export const serviceName = `${service.name}.${service.namespace}.svc`;
const version = 'v1';

/** Registers a bare server as the extension server of a group; resolves to the path of an object there. */
export async function registerBare(target: Target, { config, port, api }: Bare): Promise<string> {
  const group = `bare.${target.group}`;
  const name = `${version}.${group}`;
  const registrations = '/apis/apiregistration.k8s.io/v1/apiservices';
  const services = `/api/v1/namespaces/${service.namespace}/services`;
  await target.api.send('DELETE', `${registrations}/${name}`);
  await target.api.send('DELETE', `${services}/${service.name}`);
  const spec = { type: 'ExternalName', externalName: 'localhost' };
  await target.api.must('POST', services, JSON.stringify({ metadata: service, spec }));
  const caBundle = Buffer.from(config.ca ?? '').toString('base64');
  const registration = {
    metadata: { name },
    spec: {
      group,
      version,
      groupPriorityMinimum: 1000,
      versionPriority: 15,
      service: { ...service, port },
      caBundle,
    },
  };
  await target.api.must('POST', registrations, JSON.stringify(registration));
  const path = `/apis/${group}/${version}/namespaces/default/things/one`;
  const object = target.object('things', 'one', 1);
  await api.must('PUT', path, object);
  await until(async () => (await target.api.send('GET', path)).status === 200);
  return path;
}

/** The three requests that aggregated flows consist of. */
export const shares: readonly Row[] = [
  share('access review', 'POST of a SubjectAccessReview', () =>
    Promise.resolve({
      method: 'POST',
      path: '/apis/authorization.k8s.io/v1/subjectaccessreviews',
      body: accessReview,
    }),
  ),
  share('get', 'GET of a custom resource with a client certificate', async (target) => ({
    method: 'GET',
    path: `${await target.collection('widgets', 16)}/name-0`,
  })),
  share('proxied get', 'GET from an extension server, which is a bare server too,', async (target, bare) => ({
    method: 'GET',
    path: await registerBare(target, bare),
  })),
];
