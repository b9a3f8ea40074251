import { tableOf } from '@annex/machinery';
import { type ApiServiceCondition, availableCondition, type RemoteApiService } from '@annex/aggregation';
import { ask, type Requested, errorOf, type Facts, groupVersion, versionPath } from './facts.ts';
import { type CheckStep, failed, type Finding, ok, unseen, warning } from './finding.ts';

const remoteOf = (facts: Facts): RemoteApiService => facts.apiService as RemoteApiService;

/** Checks the Available condition that the API server reports. */
export const availableStep: CheckStep<Facts> = {
  name: 'available',
  needs: ['api-service'],
  run(facts) {
    const condition = availableCondition(remoteOf(facts));
    if (condition === undefined) {
      return failed(
        'the API server has not checked it',
        'Wait a moment. If this does not change, check that the aggregation layer of the API server is enabled.',
      );
    }
    const text = `${condition.reason ?? ''}: ${condition.message ?? ''}`;
    if (condition.status === 'True') return ok(text);
    return failed(text, noResponse.test(text) && isReached(facts) ? networkMend : mendOf(condition));
  },
};

const noResponse = /no route to host|timed? ?out|deadline exceeded|Client\.Timeout/;
const isReached = ({ probe }: Facts): boolean => probe !== undefined && probe.chain.length > 0;
const networkMend =
  'The server can be reached from here. Either it does not respond in time: check its log, because such servers often wait for the API server. Or the API server cannot reach it: check NetworkPolicies and firewalls for that port, routes to Pod addresses (hostNetwork avoids them), and that NO_PROXY of the API server contains these addresses.';

const mendByReason = tableOf({
  ServiceNotFound: 'See step service.',
  ServicePortError: 'See step service.',
  EndpointsNotFound: 'See step endpoints.',
  MissingEndpoints: 'See step endpoints.',
});

const mendByMessage: readonly [RegExp, string][] = [
  [
    /x509: certificate signed by unknown authority/,
    'See step certificate: spec.caBundle is not the CA of the serving certificate.',
  ],
  [
    /x509: certificate has expired or is not yet valid/,
    'See step certificate: renew it, and check the clocks.',
  ],
  [
    /x509: certificate (is valid for|is not valid|relies on)/,
    'See step certificate: it does not contain the name of the Service.',
  ],
  [/unable to load root certificates|unable to parse bytes as PEM/, 'See step ca-bundle.'],
  [
    /connection refused|no route to host|no such host|timed? ?out|deadline exceeded|Client\.Timeout/,
    'See step dial: the API server cannot reach the server.',
  ],
  [/bad status from \S+: 401/, 'See step proxy-certificate.'],
  [
    /bad status from \S+: 403/,
    'The server trusts the proxy, but does not allow system:kube-aggregator, of the group system:masters, to read its discovery document. See step auth-delegator.',
  ],
  [
    /bad status from \S+: 404/,
    'The server does not serve this group and version: compare spec.group and spec.version with what it serves.',
  ],
  [
    /bad status from \S+: 3\d\d/,
    'The response is a redirect, for example to the login page of a proxy or an ingress, or another server listens on that port.',
  ],
  [/bad status from \S+: 5\d\d/, 'Check the log of the server: its discovery fails.'],
  [
    /first record does not look like a TLS handshake|server gave HTTP response/,
    'The port of the Service points to a server that does not use TLS.',
  ],
];

function mendOf({ reason = '', message = '' }: Pick<ApiServiceCondition, 'reason' | 'message'>): string {
  const byMessage = mendByMessage.find(([pattern]) => pattern.test(message))?.[1];
  return mendByReason.get(reason) ?? byMessage ?? 'Check the steps above, and the log of the server.';
}

/** Checks that discovery lists the version, in the form that clients read. */
export const discoveryStep: CheckStep<Facts> = {
  name: 'discovery',
  needs: ['api-service', 'available'],
  async run(facts) {
    const apiService = remoteOf(facts);
    const path = versionPath(apiService);
    const requested = await ask(facts, path);
    if (requested.status === 401) return refusedUser(requested);
    if (requested.status !== 200) {
      const error = errorOf(requested);
      return failed(`GET ${path} returned ${error}`, mendOf({ message: error }));
    }
    return checkDiscovery(requested, groupVersion(apiService));
  },
};

function checkDiscovery(requested: Requested, wanted: string): Finding {
  const { contentType, object, text } = requested;
  if (object === undefined) {
    const what = text === '' ? 'empty' : /^\s*</.test(text) ? 'HTML' : contentType || 'no JSON';
    return failed(
      `the response is ${what}, not an APIResourceList`,
      'A proxy, an ingress or another server on that port responded instead of the server.',
    );
  }
  if (object.kind !== 'APIResourceList') {
    return failed(
      `the response is a ${String(object.kind ?? 'JSON object')}, not an APIResourceList`,
      'Point the Service at an API server.',
    );
  }
  if (object.groupVersion !== wanted) {
    return failed(
      `the server serves ${String(object.groupVersion)}, but ${wanted} is registered`,
      'Correct spec.group and spec.version of the APIService, or the server.',
    );
  }
  const resources = Array.isArray(object.resources) ? (object.resources as { name?: string }[]) : [];
  if (resources.length === 0) return warning('the version has no resources', 'Check the log of the server.');
  return ok(resources.map(({ name = '' }) => name).join(', '));
}

const refusedUser = (requested: Requested): Finding =>
  failed(
    `the server does not read the user from the proxy’s headers: ${errorOf(requested)}`,
    'See step proxy-certificate. The server must also read the header names from kube-system/extension-apiserver-authentication.',
  );

/** A user without special permissions: unlike for administrators, the server must send a SubjectAccessReview. */
const plainUser = { 'Impersonate-User': 'annex-check', 'Impersonate-Group': 'system:authenticated' };

/** Checks that the server sends SubjectAccessReviews to the API server and follows their decisions. */
export const delegatedStep: CheckStep<Facts> = {
  name: 'delegated',
  needs: ['api-service', 'available', 'discovery'],
  async run(facts) {
    const path = versionPath(remoteOf(facts));
    if (!(await mayDiscover(facts, path))) {
      return unseen(
        'ordinary users are not allowed to read discovery documents here, so the server cannot allow them either',
      );
    }
    const requested = await ask(facts, path, { headers: plainUser });
    if (requested.status === 200) return ok('the server allows an ordinary user what the API server allows');
    if (requested.status === 403 && /impersonate/.test(requested.text)) {
      return unseen(
        'the user of the kubeconfig is not allowed to impersonate users',
        'Run the check as an administrator.',
      );
    }
    if (requested.status === 401) return refusedUser(requested);
    return failed(
      `the API server allows it, but the server returned ${errorOf(requested)}`,
      delegateMend(requested),
    );
  },
};

const delegateMend = (requested: Requested): string => {
  const { status } = requested;
  const [, user] = /User "([^"]+)" cannot create resource/.exec(errorOf(requested)) ?? [];
  const subject = user ?? 'the user of the server';
  return status === 403 || status === 500
    ? `The server does not create SubjectAccessReviews, or is not allowed to: bind the ClusterRole system:auth-delegator to ${subject}, and check its log.`
    : 'Check the log of the server.';
};

async function mayDiscover(facts: Facts, path: string): Promise<boolean> {
  const { object } = await ask(facts, '/apis/authorization.k8s.io/v1/subjectaccessreviews', {
    body: {
      apiVersion: 'authorization.k8s.io/v1',
      kind: 'SubjectAccessReview',
      spec: {
        user: plainUser['Impersonate-User'],
        groups: [plainUser['Impersonate-Group']],
        nonResourceAttributes: { path, verb: 'get' },
      },
    },
  });
  return (object?.status as { allowed?: boolean } | undefined)?.allowed === true;
}

/** Checks that kubectl can explain and validate the kinds. */
export const openApiStep: CheckStep<Facts> = {
  name: 'openapi',
  needs: ['api-service', 'available', 'discovery'],
  async run(facts) {
    const path = `/openapi/v3${versionPath(remoteOf(facts))}`;
    const requested = await ask(facts, path);
    const schemas = (requested.object?.components as { schemas?: object } | undefined)?.schemas;
    if (requested.status === 200 && schemas) return ok(`${Object.keys(schemas).length} schemas`);
    return warning(
      `GET ${path} returned ${requested.status === 200 ? 'no schemas' : errorOf(requested)}`,
      'Only kubectl explain and client-side validation need it. The server must serve /openapi/v3, or /openapi/v2,  ' +
        'to system:aggregator, and documents of version 3 to all users.',
    );
  },
};
