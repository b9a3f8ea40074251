import type { JsonObject } from '@annex/machinery';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { patienceMs } from '../patience.ts';
import { type AdmissionWebhook, startAdmissionWebhook } from './admission-webhook.ts';
import type { Registration } from './registration.ts';

const group = 'wardle.example.com';
const registration = 'admissionregistration.k8s.io/v1';
const rules = [{ apiGroups: [group], apiVersions: ['*'], operations: ['*'], resources: ['flunders'] }];
const collection = (namespace = 'default', version = 'v1alpha1') =>
  `/apis/${group}/${version}/namespaces/${namespace}/flunders`;
const flunder = (name: string, reference = 'x', version = 'v1alpha1'): JsonObject => ({
  apiVersion: `${group}/${version}`,
  kind: 'Flunder',
  metadata: { name },
  spec: version === 'v1alpha1' ? { reference } : { flunderReference: reference, referenceType: 'Flunder' },
});
const base64 = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64');

/** Admission that the API server configures also applies to flunders, because their server calls webhooks and evaluates policies itself. */
export function wardleAdmission(registered: () => Registration): void {
  let webhook: AdmissionWebhook;
  const made: string[] = [];
  const configure = async (kind: string, name: string, content: JsonObject): Promise<void> => {
    const object = { apiVersion: registration, kind, metadata: { name }, ...content };
    await registered().admin.ok(['create', '-f', '-'], JSON.stringify(object));
    made.push(`${kind}/${name}`);
  };
  const bind = async (kind: string, name: string, spec: JsonObject, binding: JsonObject): Promise<void> => {
    await configure(kind, name, { spec: { matchConstraints: { resourceRules: rules }, ...spec } });
    await configure(`${kind}Binding`, name, { spec: { policyName: name, ...binding } });
  };
  const hook = (more: JsonObject = {}): JsonObject => ({
    webhooks: [
      {
        name: 'flunders.webhook.example.com',
        clientConfig: webhook.clientConfig,
        rules,
        sideEffects: 'None',
        admissionReviewVersions: ['v1'],
        ...more,
      },
    ],
  });
  const post = async (object: JsonObject, query = '', namespace?: string, version?: string) => {
    const path = collection(namespace, version) + query;
    const { text } = await registered().ask({ method: 'POST', path, body: object });
    return JSON.parse(text) as JsonObject;
  };
  const message = async (object: JsonObject, query = '') => (await post(object, query)).message;
  /** Creates flunders in dry runs until the response matches. */
  const eventually = (look: (response: JsonObject) => unknown) =>
    expect.poll(async () => look(await post(flunder('probe'), '?dryRun=All')), { timeout: patienceMs });

  describe('admission', () => {
    beforeAll(async () => {
      webhook = await startAdmissionWebhook();
    });
    afterAll(() => webhook.close());
    afterEach(async () => {
      const { admin } = registered();
      for (const object of made.splice(0).reverse()) await admin.ok(['delete', object, '--wait=false']);
      webhook.response({ allowed: true });
      // The deletion is effective when the server accepts the flunder again.
      await expect
        .poll(() => message(flunder('free'), '?dryRun=All'), { timeout: patienceMs })
        .toBe(undefined);
      await admin.ok(['delete', 'flunders', '--all']);
      webhook.requested.length = 0;
    });

    it('is called once for each write, by the server that serves flunders, with the user of the write', async () => {
      await configure('ValidatingWebhookConfiguration', 'wardle-validating', hook());
      await eventually(() => webhook.requested.length > 0).toBe(true);
      webhook.requested.length = 0;
      await post(flunder('one'), '?fieldManager=me');
      await registered().ask({ method: 'DELETE', path: `${collection()}/one` });
      expect(webhook.requested).toMatchObject([
        {
          operation: 'CREATE',
          kind: { group, version: 'v1alpha1', kind: 'Flunder' },
          resource: { group, version: 'v1alpha1', resource: 'flunders' },
          name: 'one',
          namespace: 'default',
          userInfo: { groups: expect.arrayContaining(['system:masters', 'system:authenticated']) as unknown },
          object: { spec: { reference: 'x', referenceType: 'Flunder' } },
          oldObject: null,
          dryRun: false,
          options: { kind: 'CreateOptions', fieldManager: 'me' },
        },
        { operation: 'DELETE', object: null, oldObject: { metadata: { name: 'one' } } },
      ]);
    });

    it('rejects with the message of a webhook', async () => {
      await configure('ValidatingWebhookConfiguration', 'wardle-validating', hook());
      webhook.response({ allowed: false, status: { message: 'not today', code: 418 } });
      await eventually(({ message }) => message).toBe(
        'admission webhook "flunders.webhook.example.com" denied the request: not today',
      );
      expect(await post(flunder('no'))).toMatchObject({ status: 'Failure', code: 418 });
      expect(await post(flunder('no', 'x', 'v1beta1'), '', 'default', 'v1beta1')).toMatchObject({
        code: 418,
      });
    });

    it('is changed by a webhook, and warned by it', async () => {
      const patch = base64([{ op: 'add', path: '/metadata/labels', value: { hooked: 'yes' } }]);
      webhook.response({ allowed: true, patchType: 'JSONPatch', patch, warnings: ['look out'] });
      const more = { matchConditions: [{ name: 'creates', expression: "request.operation == 'CREATE'" }] };
      await configure('MutatingWebhookConfiguration', 'wardle-mutating', hook(more));
      await eventually(({ metadata }) => (metadata as JsonObject).labels).toEqual({ hooked: 'yes' });
      const printed = await registered().admin.run(['create', '-f', '-'], JSON.stringify(flunder('hooked')));
      expect(printed.text).toContain('Warning: look out\n');
      const labels = ['get', 'flunder', 'hooked', '-o', 'jsonpath={.metadata.labels}'];
      expect(await registered().admin.ok(labels)).toBe('{"hooked":"yes"}');
    });

    it('fails if a webhook cannot be reached and its failure policy is Fail', async () => {
      const clientConfig = { ...webhook.clientConfig, url: 'https://127.0.0.1:1/' };
      await configure('ValidatingWebhookConfiguration', 'wardle-validating', hook({ clientConfig }));
      await eventually(({ message }) => message).toMatch(
        /^Internal error occurred: failed calling webhook "flunders\.webhook\.example\.com": failed to call webhook: Post "https:\/\/127\.0\.0\.1:1\/\?timeout=10s": dial tcp 127\.0\.0\.1:1: connect: connection refused$/,
      );
    });

    it('obeys validating policies, with their parameters and the authorizer', async () => {
      const { admin } = registered();
      const reader = [
        'create',
        'clusterrole',
        'wardle-params',
        '--verb=get,list,watch',
        '--resource=configmaps',
      ];
      await admin.ok(reader);
      made.push('clusterrole/wardle-params');
      const bound = ['--clusterrole=wardle-params', '--serviceaccount=wardle:apiserver'];
      await admin.ok(['create', 'clusterrolebinding', 'wardle-params', ...bound]);
      made.push('clusterrolebinding/wardle-params');
      await admin.ok(['create', 'configmap', 'limits', '--from-literal=banned=whale']);
      made.push('configmap/limits');
      const spec = {
        paramKind: { apiVersion: 'v1', kind: 'ConfigMap' },
        validations: [
          {
            expression:
              "request.operation == 'DELETE' || object.spec.reference != params.data.banned || !authorizer.group('').resource('secrets').check('get').allowed()",
            messageExpression: "'no ' + object.spec.reference + ', says ' + params.metadata.name",
          },
        ],
      };
      const binding = {
        validationActions: ['Deny'],
        paramRef: { name: 'limits', namespace: 'default', parameterNotFoundAction: 'Deny' },
      };
      await bind('ValidatingAdmissionPolicy', 'wardle-policy', spec, binding);
      const refused =
        "ValidatingAdmissionPolicy 'wardle-policy' with binding 'wardle-policy' denied request: no whale, says limits";
      await expect
        .poll(() => message(flunder('moby', 'whale')), { timeout: patienceMs })
        .toBe(`flunders.wardle.example.com "moby" is forbidden: ${refused}`);
      expect(await message(flunder('nemo', 'fish'))).toBe(undefined);
    });

    it('is changed by mutating policies', async () => {
      const expression = "Object{metadata: Object.metadata{labels: {'by': request.userInfo.username}}}";
      const mutations = [{ patchType: 'ApplyConfiguration', applyConfiguration: { expression } }];
      const resourceRules = rules.map((rule) => ({ ...rule, operations: ['CREATE'] }));
      const spec = { mutations, reinvocationPolicy: 'Never', matchConstraints: { resourceRules } };
      await bind('MutatingAdmissionPolicy', 'wardle-policy', spec, {});
      await eventually(({ metadata }) =>
        Object.keys((metadata as JsonObject | undefined)?.labels ?? {}),
      ).toEqual(['by']);
    });

    it('creates nothing in a namespace that is not there', async () => {
      expect(await post(flunder('lost'), '', 'nowhere')).toMatchObject({
        message: 'namespaces "nowhere" not found',
        details: { name: 'nowhere', kind: 'namespaces' },
        code: 404,
      });
    });

    it('creates nothing in a namespace that is being deleted', async () => {
      const { admin } = registered();
      const leaving = { metadata: { name: 'leaving' }, spec: { finalizers: ['example.com/stay'] } };
      await admin.ok(
        ['create', '-f', '-'],
        JSON.stringify({ apiVersion: 'v1', kind: 'Namespace', ...leaving }),
      );
      expect(await post(flunder('early'), '', 'leaving')).toMatchObject({ kind: 'Flunder' });
      await admin.ok(['delete', 'namespace', 'leaving', '--wait=false']);
      await expect
        .poll(() => post(flunder('late'), '', 'leaving'), { timeout: patienceMs })
        .toMatchObject({
          code: 403,
          message:
            'flunders.wardle.example.com "late" is forbidden: unable to create new content in namespace leaving because it is being terminated',
          details: { causes: [{ reason: 'NamespaceTerminating', field: 'metadata.namespace' }] },
        });
      await admin.ok(['delete', 'flunders', '--all', '-n', 'leaving']);
      const freed = JSON.stringify({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'leaving' } });
      await admin.ok(['replace', '--raw', '/api/v1/namespaces/leaving/finalize', '-f', '-'], freed);
    });
  });
}
