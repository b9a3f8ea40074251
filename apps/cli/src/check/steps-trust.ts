import { X509Certificate } from 'node:crypto';
import { Client } from '@annex/client';
import { isObject, parseJson } from '@annex/machinery';
import { availableCondition, type RemoteApiService } from '@annex/aggregation';
import { hostPort } from '@annex/http';
import { certificatesOf, commonName, validityError, signedBy } from './certificates.ts';
import {
  type Requested,
  errorOf,
  decoded,
  type Facts,
  read,
  type RequestHeaderTrust,
  tlsName,
  versionPath,
} from './facts.ts';
import { type CheckStep, failed, type Finding, ok, unseen } from './finding.ts';

const configMap = '/api/v1/namespaces/kube-system/configmaps/extension-apiserver-authentication';
const restartApiServer =
  'Start the API server with --requestheader-client-ca-file, --requestheader-allowed-names and the --requestheader-*-headers options; it writes the ConfigMap.';

/** Checks that the API server publishes the CA and names of its proxy. */
export const requestHeaderStep: CheckStep<Facts> = {
  name: 'request-header',
  needs: [],
  async run(facts) {
    const found = await read<{ data?: Record<string, string> }>(facts, configMap);
    if (found === undefined) {
      return failed('there is no ConfigMap kube-system/extension-apiserver-authentication', restartApiServer);
    }
    const { data = {} } = found;
    const cas = data['requestheader-client-ca-file'] ?? '';
    if (cas === '') return failed('the ConfigMap has no requestheader-client-ca-file', restartApiServer);
    facts.trust = {
      cas,
      allowedNames: namesIn(data['requestheader-allowed-names']),
      usernameHeader: namesIn(data['requestheader-username-headers'])[0] ?? 'X-Remote-User',
      groupHeader: namesIn(data['requestheader-group-headers'])[0] ?? 'X-Remote-Group',
    };
    return checkCAs(facts.trust);
  },
};

function namesIn(json: string | undefined): string[] {
  const value: unknown = json === undefined ? [] : parseJson(json);
  return Array.isArray(value) ? value.map(String) : [];
}

function checkCAs({ cas, allowedNames }: RequestHeaderTrust): Finding {
  const found = certificatesOf(cas);
  const over = found.map((ca) => validityError(ca, Date.now()));
  if (found.length === 0)
    return failed('requestheader-client-ca-file contains no certificate', restartApiServer);
  if (over.every((why) => why !== undefined)) {
    return failed(
      `the CA of the proxy’s certificate ${over[0]}`,
      'Renew the front-proxy CA and the certificate that it signed.',
    );
  }
  const name = allowedNames.length === 0 ? 'any name' : allowedNames.join(' or ');
  return ok(`${name}, signed by ${found.map(commonName).join(', ')}`);
}

const trustTheProxy =
  'The server must read kube-system/extension-apiserver-authentication, and trust its requestheader-client-ca-file and names. Servers read them at start: restart the server if they changed. Its --requestheader-* options override them.';

/** Checks that the server trusts the proxy certificate of the API server. */
export const proxyCertificateStep: CheckStep<Facts> = {
  name: 'proxy-certificate',
  needs: ['api-service', 'request-header'],
  async run(facts) {
    if (facts.proxyClient) {
      const why = proxyClientError(facts.proxyClient.cert, facts.trust as RequestHeaderTrust);
      if (why) return why;
      if (facts.probe?.chain.length)
        return checkResponse(await askDirectly(facts), 'the server accepts the certificate');
    }
    const condition = availableCondition(facts.apiService as RemoteApiService);
    if (condition?.status === 'True') return ok('the server accepts requests of the API server');
    const [, status] = /bad status from \S+: (\d{3})/.exec(condition?.message ?? '') ?? [];
    if (status === '401') return refused('401');
    if (/remote error: tls|ALERT|alert/.test(condition?.message ?? ''))
      return refused(condition?.message ?? '');
    return unseen(
      'only the API server has the certificate',
      'Set --proxy-client-cert-file and --proxy-client-key-file to try it.',
    );
  },
};

const refused = (response: string): Finding =>
  failed(`the server does not trust the API server’s proxy: it returned ${response}`, trustTheProxy);

function proxyClientError(pem: string, trust: RequestHeaderTrust): Finding | undefined {
  const certificate = new X509Certificate(pem);
  const over = validityError(certificate, Date.now());
  if (over !== undefined)
    return failed(
      `the proxy’s certificate ${over}`,
      'Renew it, and restart the API server if it does not reload it.',
    );
  if (!signedBy(certificate, certificatesOf(trust.cas))) {
    return failed(
      'no CA of the ConfigMap signed the proxy’s certificate',
      'Give the API server a --proxy-client-cert-file that its --requestheader-client-ca-file signed.',
    );
  }
  const name = commonName(certificate);
  if (trust.allowedNames.length > 0 && !trust.allowedNames.includes(name)) {
    return failed(
      `the name of the proxy’s certificate is ${JSON.stringify(name)}, but the allowed names are ${trust.allowedNames.join(', ')}`,
      'Add the name to --requestheader-allowed-names of the API server, or issue a certificate with an allowed name.',
    );
  }
  return undefined;
}

/** Sends a request to the server, as the API server's availability check does. */
async function askDirectly(facts: Facts): Promise<Requested> {
  const apiService = facts.apiService as RemoteApiService;
  const trust = facts.trust as RequestHeaderTrust;
  const endpoint = facts.probe?.endpoint ?? { host: '', port: 0 };
  const client = new Client({
    server: `https://${hostPort(endpoint)}`,
    insecureSkipTlsVerify: true,
    tlsServerName: tlsName(apiService),
    ...facts.proxyClient,
  });
  try {
    return decoded(
      await client.send({
        path: versionPath(apiService),
        headers: { [trust.usernameHeader]: 'system:kube-aggregator', [trust.groupHeader]: 'system:masters' },
        timeoutMs: facts.timeoutMs,
      }),
    );
  } finally {
    client.close();
  }
}

function checkResponse(requested: Requested, how: string): Finding {
  if (requested.status === 401) return refused('401');
  if (requested.status === 403) return refused(errorOf(requested));
  if (isObject(requested.object) && requested.status < 300) return ok(how);
  return ok(`${how} and returned ${errorOf(requested)}`);
}
