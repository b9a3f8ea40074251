import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { serveCoreApi, type ServedCoreApi } from './served.fixture.ts';

let server: ServedCoreApi;
beforeAll(async () => {
  server = await serveCoreApi();
});
afterAll(() => server.stop());

const core = '/api/v1/namespaces/default';
const apps = '/apis/apps/v1/namespaces/default';
const container = { name: 'c', image: 'nginx' };
const template = { metadata: { labels: { app: 'a' } }, spec: { containers: [container] } };
const selector = { matchLabels: { app: 'a' } };
const named = (kind: string, name: string, rest: object) => ({ kind, metadata: { name }, ...rest });
const merge = 'application/merge-patch+json';

describe('the initial objects', () => {
  it('include the four system namespaces', async () => {
    const { body } = await server.request('GET', '/api/v1/namespaces');
    const names = (body.items as { metadata: { name: string } }[]).map((item) => item.metadata.name);
    expect(names).toEqual(['default', 'kube-node-lease', 'kube-public', 'kube-system']);
  });

  it('include the date since which the use of Secret tokens is tracked', async () => {
    const path =
      '/api/v1/namespaces/kube-system/configmaps/kube-apiserver-legacy-service-account-token-tracking';
    expect((await server.request('GET', path)).body.data).toEqual({
      since: expect.stringMatching(/^\d{4}-\d\d-\d\d$/) as string,
    });
  });

  it('include the Service of the server, with the first address of the range', async () => {
    expect((await server.request('GET', `${core}/services/kubernetes`)).body.spec).toMatchObject({
      clusterIP: '10.0.0.1',
      ports: [{ name: 'https', port: 443, targetPort: 6443 }],
    });
    expect((await server.request('GET', `${core}/endpoints/kubernetes`)).body.subsets).toEqual([
      { addresses: [{ ip: '127.0.0.1' }], ports: [{ name: 'https', port: 6443, protocol: 'TCP' }] },
    ]);
  });
});

describe('namespaces', () => {
  it('exist until their finalizer is removed', async () => {
    await server.request('POST', '/api/v1/namespaces', named('Namespace', 'ns', {}));
    const deleted = await server.request('DELETE', '/api/v1/namespaces/ns');
    expect(deleted.body).toMatchObject({
      status: { phase: 'Terminating' },
      spec: { finalizers: ['kubernetes'] },
    });
    expect(deleted.body.metadata).not.toHaveProperty('deletionGracePeriodSeconds');
    const late = await server.request(
      'POST',
      '/api/v1/namespaces/ns/configmaps',
      named('ConfigMap', 'c', {}),
    );
    expect(late.code).toBe(403);
    const finalize = '/api/v1/namespaces/ns/finalize';
    expect((await server.request('PUT', finalize, named('Namespace', 'ns', { spec: {} }))).code).toBe(200);
    expect((await server.request('GET', '/api/v1/namespaces/ns')).code).toBe(404);
  });

  it.each(['default', 'kube-system', 'kube-public'])('does not delete %s', async (name) => {
    expect((await server.request('DELETE', `/api/v1/namespaces/${name}`)).message).toBe(
      `namespaces "${name}" is forbidden: this namespace may not be deleted`,
    );
  });
});

describe('secrets', () => {
  it('accept strings and return base64', async () => {
    const sent = named('Secret', 's', { stringData: { a: 'text' } });
    const { body } = await server.request('POST', `${core}/secrets`, sent);
    expect(body).toMatchObject({ type: 'Opaque', data: { a: 'dGV4dA==' } });
    expect(body).not.toHaveProperty('stringData');
  });

  it('keep their type, and all data if they are immutable', async () => {
    await server.request(
      'POST',
      `${core}/secrets`,
      named('Secret', 'fixed', { immutable: true, data: { a: 'YQ==' } }),
    );
    const path = `${core}/secrets/fixed`;
    expect((await server.request('PATCH', path, { type: 'x/y' }, merge)).message).toBe(
      'Secret "fixed" is invalid: type: Invalid value: "x/y": field is immutable',
    );
    expect((await server.request('PATCH', path, { data: { a: 'Yg==' } }, merge)).message).toBe(
      'Secret "fixed" is invalid: data: Forbidden: field is immutable when `immutable` is set',
    );
  });

  it.each([
    ['a TLS pair without its key', 'kubernetes.io/tls', { 'tls.crt': '' }, 'data[tls.key]: Required value'],
    ['a login without user and password', 'kubernetes.io/basic-auth', {}, 'data[username]: Required value'],
    ['a key with a slash', 'Opaque', { 'a/b': '' }, 'data[a/b]: Invalid value: "a/b"'],
  ])('refuse %s', async (_what, type, data, text) => {
    const { code, message } = await server.request(
      'POST',
      `${core}/secrets`,
      named('Secret', 'bad', { type, data }),
    );
    expect(code).toBe(422);
    expect(message).toContain(text);
  });
});

describe('deployments', () => {
  it('have kube’s defaults', async () => {
    const sent = named('Deployment', 'd', { spec: { selector, template } });
    const { code, body } = await server.request('POST', `${apps}/deployments`, sent);
    expect(code).toBe(201);
    expect(body.metadata.generation).toBe(1);
    expect(body.status).toEqual({});
    expect(body.spec).toEqual({
      selector,
      replicas: 1,
      revisionHistoryLimit: 10,
      progressDeadlineSeconds: 600,
      strategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: '25%', maxSurge: '25%' } },
      template: {
        metadata: { labels: { app: 'a' } },
        spec: {
          containers: [
            {
              ...container,
              imagePullPolicy: 'Always',
              resources: {},
              terminationMessagePath: '/dev/termination-log',
              terminationMessagePolicy: 'File',
            },
          ],
          dnsPolicy: 'ClusterFirst',
          restartPolicy: 'Always',
          schedulerName: 'default-scheduler',
          securityContext: {},
          terminationGracePeriodSeconds: 30,
        },
      },
    });
  });

  it('are scaled through Scale, with any content', async () => {
    await server.request(
      'POST',
      `${apps}/deployments`,
      named('Deployment', 'scaled', { spec: { selector, template } }),
    );
    const path = `${apps}/deployments/scaled/scale`;
    const { body } = await server.request('PATCH', path, { spec: { replicas: 4 } }, merge);
    expect(body).toMatchObject({ kind: 'Scale', spec: { replicas: 4 }, status: { selector: 'app=a' } });
    const { body: after } = await server.request('GET', `${apps}/deployments/scaled`);
    expect(after).toMatchObject({ metadata: { generation: 2 }, spec: { replicas: 4, selector } });
    expect((await server.request('PATCH', path, { spec: { replicas: -1 } }, merge)).message).toContain(
      'spec.replicas: Invalid value: -1: must be greater than or equal to 0',
    );
  });

  it('ignore the status at the main endpoint, and all else at the status endpoint', async () => {
    await server.request(
      'POST',
      `${apps}/deployments`,
      named('Deployment', 'st', { spec: { selector, template } }),
    );
    const path = `${apps}/deployments/st`;
    const both = { spec: { replicas: 3 }, status: { replicas: 2 } };
    expect((await server.request('PATCH', path, both, merge)).body).toMatchObject({
      spec: { replicas: 3 },
      status: {},
    });
    const { body } = await server.request(
      'PATCH',
      `${path}/status`,
      { ...both, spec: { replicas: 9 } },
      merge,
    );
    expect(body).toMatchObject({ spec: { replicas: 3 }, status: { replicas: 2 } });
  });

  it.each([
    ['without a selector', { template }, 'spec.selector: Required value'],
    [
      'whose selector is another one',
      { selector: { matchLabels: { app: 'b' } }, template },
      'spec.template.metadata.labels: Invalid value: {"app":"a"}: `selector` does not match template `labels`',
    ],
    [
      'without containers',
      { selector, template: { ...template, spec: {} } },
      'spec.template.spec.containers: Required value',
    ],
    ['with fewer than no replicas', { selector, template, replicas: -1 }, 'spec.replicas: Invalid value: -1'],
  ])('are refused %s', async (_what, spec, text) => {
    const { code, message } = await server.request(
      'POST',
      `${apps}/deployments`,
      named('Deployment', 'bad', { spec }),
    );
    expect(code).toBe(422);
    expect(message).toContain(text);
  });
});

describe('pods', () => {
  it('are bound to a node once', async () => {
    await server.request('POST', `${core}/pods`, named('Pod', 'p', { spec: { containers: [container] } }));
    expect((await server.request('GET', `${core}/pods/p`)).body.status).toEqual({
      phase: 'Pending',
      qosClass: 'BestEffort',
    });
    const binding = named('Binding', 'p', { target: { kind: 'Node', name: 'n1' } });
    expect((await server.request('POST', `${core}/pods/p/binding`, binding)).body).toMatchObject({
      status: 'Success',
    });
    expect((await server.request('GET', `${core}/pods/p`)).body).toMatchObject({
      spec: { nodeName: 'n1' },
      status: { conditions: [{ type: 'PodScheduled', status: 'True' }] },
    });
    expect((await server.request('POST', `${core}/pods/p/binding`, binding)).message).toBe(
      'Operation cannot be fulfilled on pods/binding "p": pod p is already assigned to node "n1"',
    );
  });

  it('return why connections are not possible', async () => {
    await server.request(
      'POST',
      `${core}/pods`,
      named('Pod', 'noexec', { spec: { containers: [container] } }),
    );
    const ask = async (path: string) => {
      const { code, message } = await server.request('GET', `${core}/pods/${path}`);
      return [code, message];
    };
    expect(await ask('noexec/exec')).toEqual([400, 'pod noexec does not have a host assigned']);
    expect(await ask('noexec/exec?container=d')).toEqual([400, 'container d is not valid for pod noexec']);
    expect(await ask('http:noexec:80/proxy/x')).toEqual([400, 'address not allowed']);
    expect(await ask('ftp:noexec:80/proxy')).toEqual([400, 'invalid pod request "ftp:noexec:80"']);
  });

  it('cannot be reached through a Service', async () => {
    await server.request(
      'POST',
      `${core}/services`,
      named('Service', 'web', { spec: { ports: [{ port: 80 }] } }),
    );
    const ask = async (target: string) => {
      const { code, message } = await server.request('GET', `${core}/services/${target}/proxy`);
      return [code, message];
    };
    expect(await ask('web')).toEqual([404, 'services "web" not found']);
    expect(await ask('web:81')).toEqual([503, 'no service port 81 found for service "web"']);
    const subsets = [{ addresses: [{ ip: '10.0.0.9' }], ports: [{ port: 80 }] }];
    await server.request('POST', `${core}/endpoints`, named('Endpoints', 'web', { subsets }));
    expect(await ask('web:80')).toEqual([503, 'no endpoints available for service "web:80"']);
    expect(await ask('web:http')).toEqual([503, 'no endpoints available for service "web:http"']);
  });
});

describe('other kinds', () => {
  it('selects the pods of a Job by its uid', async () => {
    const spec = { template: { spec: { containers: [container], restartPolicy: 'Never' } } };
    const { body } = await server.request(
      'POST',
      '/apis/batch/v1/namespaces/default/jobs',
      named('Job', 'j', { spec }),
    );
    const uid = body.metadata.uid;
    expect(body.spec).toMatchObject({
      completions: 1,
      selector: { matchLabels: { 'batch.kubernetes.io/controller-uid': uid } },
      template: { metadata: { labels: { 'controller-uid': uid, 'job-name': 'j' } } },
    });
  });

  it('shows an event of one group in the other', async () => {
    const event = {
      metadata: { name: 'e', namespace: 'default' },
      involvedObject: { kind: 'Pod', name: 'p', namespace: 'default' },
      message: 'text',
      reason: 'Because',
    };
    await server.request('POST', `${core}/events`, event);
    const path = '/apis/events.k8s.io/v1/namespaces/default/events/e';
    expect((await server.request('GET', path)).body).toMatchObject({
      kind: 'Event',
      apiVersion: 'events.k8s.io/v1',
      note: 'text',
      regarding: { kind: 'Pod', name: 'p' },
    });
  });

  it('component statuses have no hash of a storage version', async () => {
    const { body } = await server.request('GET', '/api/v1');
    const listed = body.resources as { name: string; storageVersionHash?: string }[];
    const hashOf = (wanted: string) => listed.find(({ name }) => name === wanted)?.storageVersionHash;
    expect([hashOf('componentstatuses'), hashOf('configmaps')]).toEqual([undefined, 'qFsyl6wFWjQ=']);
  });

  it('a review is no list of metadata', async () => {
    const response = await server.client.send({
      method: 'POST',
      path: '/apis/authentication.k8s.io/v1/selfsubjectreviews',
      headers: {
        accept: 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1',
        'content-type': 'application/json',
      },
      body: '{}',
    });
    expect(response.status).toBe(406);
  });
});
