import { Client, loadKubeconfig } from '@annex/client';
import { stringifyJson } from '@annex/machinery';
import type { TraceView } from '@annex/server';
import { requireTools, startProcess } from '@annex/testkit';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Runner } from '../runners/runner.ts';
import { startAnnex } from '../runners/start-annex.ts';
import { runCommand } from './command.ts';
import { helloExtension } from './extension/hello-extension.ts';
import { registerExtension, type Registration } from './extension/registration.ts';
import { patienceMs } from './patience.ts';
import { annexCommand } from '../runners/annex-command.ts';

const greetings = '/apis/hello.example.com/v1alpha1/namespaces/default/greetings';

const requested = [
  ['GET', '/version'],
  ['GET', '/healthz'],
  ['GET', '/nope'],
  ['GET', '/apis/nobody.example.com/v1/things'],
  ['GET', '/api/v1/namespaces/default/configmaps/none'],
  ['GET', '/api/v1/namespaces/default/configmaps?limit=many'],
  ['GET', '/api/v1/namespaces/default/configmaps?watch=1&timeoutSeconds=1'],
  ['GET', '/openapi/v2'],
  ['GET', '/apis/hello.example.com/v1alpha1/namespaces/default/greetings'],
  ['GET', '/apis/hello.example.com/v1alpha1/namespaces/default/greetings/none'],
  ['POST', '/api/v1/namespaces/default/configmaps'],
  ['PUT', '/api/v1/namespaces'],
  ['PATCH', '/api/v1/namespaces/default'],
  ['DELETE', '/api/v1/namespaces/none'],
  ['OPTIONS', '/api'],
] as const;

describe.runIf(requireTools('annex trace', 'kubectl'))('annex trace', () => {
  let annex: Runner;
  let extension: Registration;
  beforeAll(async () => {
    annex = await startAnnex();
    extension = await registerExtension(annex, helloExtension);
    const grant = [
      'create',
      'clusterrole',
      'greeter',
      '--verb=list',
      '--resource=greetings.hello.example.com',
    ];
    await extension.admin.ok(grant);
    await extension.admin.ok(['create', 'rolebinding', 'greeter', '--clusterrole=greeter', '--user=jane']);
  });
  afterAll(async () => {
    await extension?.[Symbol.asyncDispose]();
    await annex?.stop();
  });

  /** Runs the command as the administrator. */
  const trace = async (...args: string[]) => {
    const options = ['--kubeconfig', annex.kubeconfig];
    const env = { ...process.env };
    return await runCommand(process.execPath, [annexCommand, 'trace', ...args, ...options], {
      env,
      timeout: patienceMs,
    });
  };
  const latest = async (url: string): Promise<TraceView> => {
    const { output } = await trace('--output', 'json');
    const all = output
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as TraceView);
    const found = all.findLast((one) => one.request.url.startsWith(url));
    if (found === undefined) throw new Error(`there was no request for ${url}`);
    return found;
  };
  const tree = async (url: string): Promise<string> => (await trace((await latest(url)).auditID)).output;

  it('--refused lists rejections without 404, and --last shows the decisions about the last one', async () => {
    await extension.author.run(['get', '--raw', greetings.replace('default', 'kube-system')]);
    await extension.admin.run(['get', 'configmap', 'none']);
    const { output } = await trace('--refused', '--output', 'json');
    const codes = output
      .trim()
      .split('\n')
      .map((line) => (JSON.parse(line) as TraceView).response?.code);
    expect(codes).toContain(403);
    expect(codes.filter((code = 0) => code < 400 || code === 404)).toEqual([]);
    expect((await trace('--refused', '--last')).output).toMatch(/^GET \S+kube-system\/greetings: 403 after /);
    const none = await trace('--refused', '--last', '--user=nobody');
    expect([none.code, none.text]).toEqual([1, expect.stringContaining('TRACE_MISSING: ')]);
  });

  it('the requests of the command itself are not listed, except for errors', async () => {
    await extension.admin.run(['get', 'configmap', 'none']);
    await extension.author.run(['get', '--raw', '/annex/traces']);
    const { output } = await trace();
    expect(output).toContain('/configmaps/none');
    expect(output.split('\n').filter((line) => line.includes('/annex/traces'))).toEqual([
      expect.stringMatching(/ 403 .*jane/),
    ]);
  });

  it('a rejection shows the user, the result of each authenticator, and the best matching rule', async () => {
    await extension.author.run(['get', '--raw', greetings.replace('default', 'kube-system')]);
    const text = await tree(greetings.replace('default', 'kube-system'));
    expect(text).toMatch(/^GET .*: 403 after /);
    expect(text).toMatch(
      /\n└─ responded 403 Forbidden: greetings\.hello\.example\.com is forbidden: User "jane" .*\n$/,
    );
    expect(text).toContain('authentication: jane, in authors, system:authenticated');
    expect(text).toContain('client certificate O=authors,CN=jane');
    expect(text).toContain('request-header refused: x509: certificate signed by unknown authority');
    expect(text).toContain('x509 authenticated');
    expect(text).toContain('authorization: not allowed by any authorizer');
    expect(text).toContain(
      'does not match in namespace: RoleBinding "greeter/default" of ClusterRole "greeter" to User "jane"',
    );
  });

  it('a proxied request shows the APIService, the endpoint, the sent request, and the requests of the extension server', async () => {
    await extension.author.ok(['get', '--raw', greetings]);
    const text = await tree(greetings);
    expect(text).toContain('allows: RoleBinding "greeter/default" of ClusterRole "greeter" to User "jane"');
    expect(text).toContain('forwarded by APIService v1alpha1.hello.example.com');
    expect(text).toContain('Available: True: Passed: all checks passed');
    expect(text).toMatch(
      /to (localhost|127\.0\.0\.1|\[::1\]):\d+ as hello\.hello\.svc, verified by spec\.caBundle/,
    );
    expect(text).toContain('presenting the certificate CN=front-proxy-client');
    expect(text).toContain('it presented the certificate CN=hello.hello.svc');
    expect(text).toContain('X-Remote-User: jane');
    expect(text).toContain('it requested: user=jane verb=list group=hello.example.com');
    expect(text).toContain('as system:serviceaccount:hello:hello-extension');
    expect(text).toMatch(/responded 200 after/);
  });

  it('a webhook that cannot be called is named, with the time that it took', async () => {
    const configuration = {
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'ValidatingWebhookConfiguration',
      metadata: { name: 'nobody' },
      webhooks: [
        {
          name: 'nobody.example.com',
          clientConfig: { url: 'https://127.0.0.1:9/' },
          rules: [
            { operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'] },
          ],
          admissionReviewVersions: ['v1'],
          sideEffects: 'None',
          failurePolicy: 'Fail',
        },
      ],
    };
    await extension.admin.ok(['create', '-f', '-'], stringifyJson(configuration));
    await extension.admin.run(['create', 'configmap', 'refused']);
    await extension.admin.ok(['delete', 'validatingwebhookconfiguration', 'nobody']);
    const text = await tree('/api/v1/namespaces/default/configmaps');
    expect(text).toMatch(/nobody\.example\.com [\d.]+ ms: refused/);
    expect(text).toContain('failed calling webhook "nobody.example.com"');
    // Of the response of another process, only the code is known, not the Status.
    expect(text).toMatch(/\n└─ responded 500(?: InternalError)?\n$/);
  });

  it('a refused impersonation shows which right was missing', async () => {
    await extension.author.run(['get', '--raw', `${greetings}?refused`, '--as=root']);
    const text = await tree(`${greetings}?refused`);
    expect(text).toContain('impersonation denied');
    expect(text).toContain(
      'not allowed by any authorizer: user=jane verb=impersonate version=v1 resource=users name=root',
    );
    expect(text).toContain('does not match in');
  });

  it('every request has a trace with its response', async () => {
    const config = await loadKubeconfig(annex.kubeconfig);
    const { ca, server } = config;
    const known = ca ? { server, ca } : { server };
    const reader = new Client(config);
    for (const who of [config, known, { ...known, token: 'nonsense' }]) {
      const client = new Client(who);
      for (const [method, path] of requested) {
        const { body, headers, status } = await client.send({ method, path });
        const said = /^{.*"reason":"(\w+)"/s.exec(String(body))?.[1];
        // An extension server also sends it, as behind kube-apiserver.
        const [auditId = ''] = String(headers['audit-id']).split(', ');
        await vi.waitFor(
          async () => {
            const { traces } = await reader.json<{ traces: TraceView[] }>({
              path: `/annex/traces/${auditId}`,
            });
            // Responses of other processes are passed on without being parsed.
            const reason = traces[0]?.response?.reason === undefined ? undefined : said;
            expect([method, path, traces[0]?.response?.code, traces[0]?.response?.reason]).toEqual([
              method,
              path,
              status,
              reason,
            ]);
          },
          { timeout: patienceMs },
        );
      }
      client.close();
    }
    reader.close();
  });

  it('an unknown audit id is an error', async () => {
    const { code, text } = await trace('00000000-0000-0000-0000-000000000000');
    expect(code).toBe(1);
    expect(text).toContain('traces "00000000-0000-0000-0000-000000000000" not found');
  });

  it('a client that sends the trace header gets a response header, if it may read traces', async () => {
    const config = await loadKubeconfig(annex.kubeconfig);
    const ask = async (client: Client) => {
      const path = '/api/v1/namespaces';
      const { headers } = await client.send({ path, headers: { 'annex-trace': '1' } });
      client.close();
      return JSON.parse(String(headers['annex-trace'])) as Partial<TraceView> & { forbidden?: string };
    };
    const notified = await ask(new Client(config));
    expect(notified.authentication?.user?.name).toBe('admin');
    expect(notified.authorization?.decision).toBe('allow');
    const anonymous = new Client({ server: config.server, ...(config.ca ? { ca: config.ca } : {}) });
    expect(await ask(anonymous)).toEqual({
      forbidden: 'User "system:anonymous" cannot get path "/annex/traces"',
    });
  });

  it('served requests can be followed', async () => {
    const args = [annexCommand, 'trace', '--follow', '--user=jane', '--kubeconfig', annex.kubeconfig];
    const following = await startProcess(process.execPath, { args });
    try {
      // A watch receives later events only; the first requests may be earlier.
      await vi.waitFor(
        async () => {
          await extension.author.ok(['get', '--raw', greetings]);
          expect(following.lines.join('\n')).toMatch(
            /200 {2}[\d.]+ ms {2}jane {2}GET {2}\S*greetings {2}to v1alpha1\.hello\.example\.com {2}\[/,
          );
        },
        { timeout: patienceMs },
      );
    } finally {
      await following.stop();
    }
  });

  it('users without permission cannot read traces', async () => {
    const { text } = await extension.author.run(['get', '--raw', '/annex/traces']);
    expect(text).toContain('User "jane" cannot get path "/annex/traces"');
  });
});
