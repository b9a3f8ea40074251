import { X509Certificate } from 'node:crypto';
import { Client } from '@annex/client';
import { isObject, parseJson } from '@annex/machinery';
import { availableCondition, type RemoteApiService } from '@annex/aggregation';
import { hostPort } from '@annex/http';
import { certificatesOf, commonName, outOfTime, signedBy } from './certificates.ts';
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

/** The API server says by what its proxy is known. */
export const requestHeaderStep: CheckStep<Facts> = {
  name: 'request-header',
  needs: [],
  async run(facts) {
    const found = await read<{ data?: Record<string, string> }>(facts, configMap);
    if (found === undefined) {
      return failed('there is no ConfigMap kube-system/extension-apiserver-authentication', restartApiServer);
    }
    const { data = {} } = found;
    const caBundle = data['requestheader-client-ca-file'] ?? '';
    if (caBundle === '')
      return failed('the ConfigMap names no requestheader-client-ca-file', restartApiServer);
    facts.trust = {
      caBundle,
      allowedNames: namesIn(data['requestheader-allowed-names']),
      usernameHeader: namesIn(data['requestheader-username-headers'])[0] ?? 'X-Remote-User',
      groupHeader: namesIn(data['requestheader-group-headers'])[0] ?? 'X-Remote-Group',
    };
    return judgeCAs(facts.trust);
  },
};

function namesIn(json: string | undefined): string[] {
  const value: unknown = json === undefined ? [] : parseJson(json);
  return Array.isArray(value) ? value.map(String) : [];
}

function judgeCAs({ caBundle, allowedNames }: RequestHeaderTrust): Finding {
  const found = certificatesOf(caBundle);
  const over = found.map((ca) => outOfTime(ca, Date.now()));
  if (found.length === 0)
    return failed('requestheader-client-ca-file holds no certificate', restartApiServer);
  if (over.every((why) => why !== undefined)) {
    return failed(
      `the authority of the proxy’s certificate ${over[0]}`,
      'Renew the front-proxy authority and the certificate that it signed.',
    );
  }
  const allowed = allowedNames.length === 0 ? 'anybody' : allowedNames.join(' or ');
  return ok(`${allowed}, signed by ${found.map(commonName).join(', ')}`);
}

const trustTheProxy =
  'The server has to read kube-system/extension-apiserver-authentication and to trust its requestheader-client-ca-file and names. It reads them when it starts: restart it where they changed. Options --requestheader-* of its own override them.';

/** The server takes the proxy of the API server for what it is. */
export const proxyCertificateStep: CheckStep<Facts> = {
  name: 'proxy-certificate',
  needs: ['api-service', 'request-header'],
  async run(facts) {
    if (facts.proxyClient) {
      const why = ownError(facts.proxyClient.cert, facts.trust as RequestHeaderTrust);
      if (why) return why;
      if (facts.probe?.chain.length)
        return judgeResponse(await askDirectly(facts), 'asked with the certificate itself');
    }
    const condition = availableCondition(facts.apiService as RemoteApiService);
    if (condition?.status === 'True') return ok('the server answers the API server’s own questions');
    const [, status] = /bad status from \S+: (\d{3})/.exec(condition?.message ?? '') ?? [];
    if (status === '401') return refused('401');
    if (/remote error: tls|ALERT|alert/.test(condition?.message ?? ''))
      return refused(condition?.message ?? '');
    return unseen(
      'the API server has the certificate, not this command',
      'Give it with --proxy-client-cert-file and --proxy-client-key-file to try it.',
    );
  },
};

const refused = (response: string): Finding =>
  failed(`the server does not know the API server’s proxy: it answers ${response}`, trustTheProxy);

function ownError(pem: string, trust: RequestHeaderTrust): Finding | undefined {
  const certificate = new X509Certificate(pem);
  const over = outOfTime(certificate, Date.now());
  if (over !== undefined)
    return failed(
      `the proxy’s certificate ${over}`,
      'Renew it, and restart the API server where it does not read it again.',
    );
  if (!signedBy(certificate, certificatesOf(trust.caBundle))) {
    return failed(
      'the authorities of the ConfigMap did not sign the proxy’s certificate',
      'Give the API server a --proxy-client-cert-file that its --requestheader-client-ca-file signed.',
    );
  }
  const name = commonName(certificate);
  if (trust.allowedNames.length > 0 && !trust.allowedNames.includes(name)) {
    return failed(
      `the proxy’s certificate is for ${JSON.stringify(name)}, allowed is ${trust.allowedNames.join(', ')}`,
      'Add the name to --requestheader-allowed-names of the API server, or issue a certificate for one that is there.',
    );
  }
  return undefined;
}

/** Asks the server as the API server's availability check does. */
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

function judgeResponse(requested: Requested, how: string): Finding {
  if (requested.status === 401) return refused('401');
  if (requested.status === 403) return refused(errorOf(requested));
  if (isObject(requested.object) && requested.status < 300) return ok(how);
  return ok(`${how}: the server answers ${errorOf(requested)}`);
}
