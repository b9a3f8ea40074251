import { tableOf } from '@annex/machinery';
import { type ApiServiceCondition, availableCondition, type RemoteApiService } from '@annex/aggregation';
import { ask, type Requested, errorOf, type Facts, groupVersion, versionPath } from './facts.ts';
import { type CheckStep, failed, type Finding, ok, unseen, warning } from './finding.ts';

const remoteOf = (facts: Facts): RemoteApiService => facts.apiService as RemoteApiService;

/** The API server sees the server at work. */
export const availableStep: CheckStep<Facts> = {
  name: 'available',
  needs: ['api-service'],
  run(facts) {
    const condition = availableCondition(remoteOf(facts));
    if (condition === undefined) {
      return failed(
        'the API server has not looked at it',
        'Wait a moment. Where that stays: is the aggregation layer of the API server on?',
      );
    }
    const text = `${condition.reason ?? ''}: ${condition.message ?? ''}`;
    if (condition.status === 'True') return ok(text);
    return failed(text, noResponse.test(text) && isReached(facts) ? betweenThem : mendOf(condition));
  },
};

const noResponse = /no route to host|timed? ?out|deadline exceeded|Client\.Timeout/;
const isReached = ({ probe }: Facts): boolean => probe !== undefined && probe.chain.length > 0;
const betweenThem =
  'From here it can be reached. Either it does not answer in time: see its log, often it waits for the API server. Or something stands between the API server and it: a NetworkPolicy or firewall for that port, Pod addresses that the machine of the API server does not route (hostNetwork helps), or an HTTPS_PROXY of the API server without these addresses in its NO_PROXY.';

const mendByReason = tableOf({
  ServiceNotFound: 'See step service.',
  ServicePortError: 'See step service.',
  EndpointsNotFound: 'See step endpoints.',
  MissingEndpoints: 'See step endpoints.',
});

const mendByMessage: readonly [RegExp, string][] = [
  [
    /x509: certificate signed by unknown authority/,
    'See step certificate: spec.caBundle is not the authority of the serving certificate.',
  ],
  [
    /x509: certificate has expired or is not yet valid/,
    'See step certificate: renew it, and look at the clocks.',
  ],
  [
    /x509: certificate (is valid for|is not valid|relies on)/,
    'See step certificate: it lacks the name of the Service.',
  ],
  [/unable to load root certificates|unable to parse bytes as PEM/, 'See step ca-bundle.'],
  [
    /connection refused|no route to host|no such host|timed? ?out|deadline exceeded|Client\.Timeout/,
    'See step dial: the API server cannot reach the server.',
  ],
  [/bad status from \S+: 401/, 'See step proxy-certificate.'],
  [
    /bad status from \S+: 403/,
    'The server knows the proxy and forbids system:kube-aggregator, of the group system:masters, to read its discovery: see step auth-delegator.',
  ],
  [
    /bad status from \S+: 404/,
    'The server does not serve this group and version: compare spec.group and spec.version with what it serves.',
  ],
  [
    /bad status from \S+: 3\d\d/,
    'It sends clients elsewhere: the login page of a proxy or an ingress answers in place of the server, or another server on that port.',
  ],
  [/bad status from \S+: 5\d\d/, 'Look at the log of the server: its discovery fails.'],
  [
    /first record does not look like a TLS handshake|server gave HTTP response/,
    'The port of the Service leads to one that speaks no TLS.',
  ],
];

function mendOf({ reason = '', message = '' }: Pick<ApiServiceCondition, 'reason' | 'message'>): string {
  const byMessage = mendByMessage.find(([pattern]) => pattern.test(message))?.[1];
  return mendByReason.get(reason) ?? byMessage ?? 'Look at the steps above, and at the log of the server.';
}

/** Discovery names the version, in the form that clients read. */
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
      return failed(`GET ${path} is answered ${error}`, mendOf({ message: error }));
    }
    return judgeDiscovery(requested, groupVersion(apiService));
  },
};

function judgeDiscovery(requested: Requested, wanted: string): Finding {
  const { contentType, object, text } = requested;
  if (object === undefined) {
    const what = text === '' ? 'empty' : /^\s*</.test(text) ? 'HTML' : contentType || 'no JSON';
    return failed(
      `the answer is ${what}, not an APIResourceList`,
      'Something else answers in place of the server: a proxy or ingress in between, or another server on that port.',
    );
  }
  if (object.kind !== 'APIResourceList') {
    return failed(
      `the answer is a ${String(object.kind ?? 'JSON object')}, not an APIResourceList`,
      'Point the Service at an API server.',
    );
  }
  if (object.groupVersion !== wanted) {
    return failed(
      `the server names itself ${String(object.groupVersion)}, registered is ${wanted}`,
      'Correct spec.group and spec.version of the APIService, or the server.',
    );
  }
  const resources = Array.isArray(object.resources) ? (object.resources as { name?: string }[]) : [];
  if (resources.length === 0)
    return warning('the version has no resources', 'Look at the log of the server.');
  return ok(resources.map(({ name = '' }) => name).join(', '));
}

const refusedUser = (requested: Requested): Finding =>
  failed(
    `the server does not take the user from the proxy’s headers: ${errorOf(requested)}`,
    'See step proxy-certificate. It has to read the names of the headers from kube-system/extension-apiserver-authentication too.',
  );

/** An ordinary user: the server has to ask the API server about them, other than about administrators. */
const plainUser = { 'Impersonate-User': 'annex-check', 'Impersonate-Group': 'system:authenticated' };

/** The server asks the API server what a user may do, and believes it. */
export const delegatedStep: CheckStep<Facts> = {
  name: 'delegated',
  needs: ['api-service', 'available', 'discovery'],
  async run(facts) {
    const path = versionPath(remoteOf(facts));
    if (!(await mayDiscover(facts, path))) {
      return unseen(
        'ordinary users may not read discovery documents here: there is nothing that the server could allow them',
      );
    }
    const requested = await ask(facts, path, { headers: plainUser });
    if (requested.status === 200) return ok('the server allows an ordinary user what the API server allows');
    if (requested.status === 403 && /impersonate/.test(requested.text)) {
      return unseen('the user of the kubeconfig may not impersonate', 'Check as an administrator.');
    }
    if (requested.status === 401) return refusedUser(requested);
    return failed(
      `the API server allows it, the server answers ${errorOf(requested)}`,
      delegateMend(requested),
    );
  },
};

const delegateMend = (requested: Requested): string => {
  const { status } = requested;
  const [, user] = /User "([^"]+)" cannot create resource/.exec(errorOf(requested)) ?? [];
  const subject = user ?? 'the user of the server';
  return status === 403 || status === 500
    ? `The server cannot ask the API server, or does not: bind the ClusterRole system:auth-delegator to ${subject}, and look at its log.`
    : 'Look at the log of the server.';
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

/** kubectl can explain and validate the kinds. */
export const openApiStep: CheckStep<Facts> = {
  name: 'openapi',
  needs: ['api-service', 'available', 'discovery'],
  async run(facts) {
    const path = `/openapi/v3${versionPath(remoteOf(facts))}`;
    const requested = await ask(facts, path);
    const schemas = (requested.object?.components as { schemas?: object } | undefined)?.schemas;
    if (requested.status === 200 && schemas) return ok(`${Object.keys(schemas).length} schemas`);
    return warning(
      `GET ${path} is answered ${requested.status === 200 ? 'without schemas' : errorOf(requested)}`,
      'Only kubectl explain and the validation of clients need it. The server has to serve /openapi/v3, or /openapi/v2, ' +
        'to system:aggregator, and documents of version 3 to everybody who asks for them.',
    );
  },
};
