import { Buffer } from 'node:buffer';
import { type Bare, startBare } from './bare.ts';
import { type EncodedRequest, Callers } from './callers.ts';
import { until } from './load.ts';
import { accessReview } from './objects.ts';
import type { Row } from './scenario.ts';
import type { Target } from './target.ts';

const callers = 16;
const slices = 4;

/**
 * How many requests a server answers in a second, as a share of what a bare `node:https` server answers to the same bytes
 * with an answer of the same length. Both are asked in turns, so that a noisy machine is noisy for both.
 */
const share = (
  name: string,
  measures: string,
  prepare: (target: Target, bare: Bare) => Promise<EncodedRequest>,
): Row => ({
  name: `share of ${name}`,
  measures: `${measures} by ${callers}, as a share of a bare node:https server`,
  unit: '%',
  async run(target, { seconds }) {
    await using bare = await startBare(serviceName);
    const request = await prepare(target, bare);
    const answer = await target.api.must(request.method, request.path, request.body);
    await bare.api.must('PUT', request.path, answer.toString());
    using own = await Callers.open(target.config, callers);
    using plain = await Callers.open(bare.config, callers);
    const values: number[] = [];
    // The first round compiles what is compiled once.
    for (let i = 0; i <= slices; i++) {
      const most = await plain.perSecond(request, seconds / 2);
      const reached = await own.perSecond(request, seconds / 2);
      if (i > 0) values.push((100 * reached) / most);
    }
    return { values };
  },
});

const service = { namespace: 'default', name: 'bench-bare' };
const serviceName = `${service.name}.${service.namespace}.svc`;
const version = 'v1';

/** Registers a bare server as the extension server of a group; resolves to the path of an object there. */
async function register(target: Target, { config, port, api }: Bare): Promise<string> {
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

/** The three requests that every aggregated flow is made of. */
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
  share('proxied get', 'GET from an extension server, which is a bare one too,', async (target, bare) => ({
    method: 'GET',
    path: await register(target, bare),
  })),
];
