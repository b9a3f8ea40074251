import { tableOf } from '@annex/machinery';
import { Buffer } from 'node:buffer';
import { availableCondition, type RemoteApiService } from '@annex/aggregation';
import { hostPort, speaksNoTls } from '@annex/http';
import { certificatesOf, outOfTime, invalidName } from './certificates.ts';
import { type Facts, tlsName } from './facts.ts';
import { type CheckStep, failed, type Finding, ok, unseen, warning } from './finding.ts';
import { probe, type Probe } from './probe.ts';

const remoteOf = (facts: Facts): RemoteApiService => facts.apiService as RemoteApiService;

const bundleOf = ({ spec: { caBundle = '' } }: RemoteApiService): string =>
  Buffer.from(caBundle, 'base64').toString();

/** What the registration trusts can be read. */
export const bundleStep: CheckStep<Facts> = {
  name: 'ca-bundle',
  needs: ['api-service'],
  run(facts) {
    const { spec } = remoteOf(facts);
    if (spec.insecureSkipTLSVerify) {
      return warning(
        'insecureSkipTLSVerify: whoever listens there is taken for the server',
        'Put the authority of the serving certificate into spec.caBundle and remove insecureSkipTLSVerify.',
      );
    }
    if (!spec.caBundle) {
      return warning(
        'there is none: the authorities of the API server’s system are trusted',
        'Put the PEM of the authority that signed the serving certificate, base64 once, into spec.caBundle.',
      );
    }
    return judgeBundle(bundleOf(remoteOf(facts)));
  },
};

function judgeBundle(pem: string): Finding {
  const mend = 'spec.caBundle is the PEM text of the authority, base64 encoded once: base64 -w0 ca.crt.';
  let cas;
  try {
    cas = certificatesOf(pem);
  } catch (error) {
    return failed(`a certificate in it cannot be read: ${(error as Error).message}`, mend);
  }
  if (cas.length === 0) return failed('it holds no certificate in PEM', mend);
  const over = cas.map((ca) => outOfTime(ca, Date.now()));
  if (over.every((why) => why !== undefined)) {
    return failed(`its authority ${over[0]}`, 'Make a new authority and serving certificate, and put it in.');
  }
  return ok(cas.map(({ subject }) => subject.replaceAll('\n', ', ')).join('; '));
}

/** Somebody listens where the Service leads. */
export const dialStep: CheckStep<Facts> = {
  name: 'dial',
  needs: ['endpoints'],
  async run(facts) {
    const apiService = remoteOf(facts);
    const pem = bundleOf(apiService);
    const probes = await Promise.all(
      facts.endpoints.slice(0, 10).map((endpoint) =>
        probe(endpoint, {
          serverName: tlsName(apiService),
          ca: pem === '' || apiService.spec.insecureSkipTLSVerify ? undefined : pem,
          client: facts.proxyClient,
          timeoutMs: facts.timeoutMs,
        }),
      ),
    );
    const down = probes.find(({ dialError }) => dialError !== undefined);
    facts.probe = probes.find(({ dialError }) => dialError === undefined) ?? (probes[0] as Probe);
    if (down?.dialError === undefined) return ok(`connected to ${hostPort(facts.probe.endpoint)}`);
    return dialFailure(apiService, down);
  },
};

const unreachableFromHere = ['ETIMEDOUT', 'EHOSTUNREACH', 'ENETUNREACH'];

function dialFailure(apiService: RemoteApiService, { endpoint, dialError }: Probe): Finding {
  const { code = '', message } = dialError as NodeJS.ErrnoException;
  const at = hostPort(endpoint);
  const isAvailable = availableCondition(apiService)?.status === 'True';
  // The API server reached it: what stands in the way is between here and there.
  if (isAvailable)
    return unseen(`${at} cannot be reached from here (${code || message}), but the API server does`);
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') {
    return failed(
      `the name ${endpoint.host} has no address`,
      'Correct spec.externalName of the Service, or the DNS of the API server’s machine.',
    );
  }
  if (code === 'ECONNREFUSED') {
    return failed(
      `nobody listens on ${at}`,
      'Start the server, and compare its --secure-port and --bind-address with the targetPort and the address of the endpoints.',
    );
  }
  if (unreachableFromHere.includes(code)) {
    return unseen(
      `${at} cannot be reached from here (${code})`,
      'Where the API server cannot reach it either: look at firewalls, NetworkPolicies, and whether its machine routes Service and Pod addresses (--enable-aggregator-routing).',
    );
  }
  return failed(
    `${at}: ${message}`,
    'Look at the network between the API server and the extension API server.',
  );
}

/** What the server shows is what the registration trusts. */
export const certificateStep: CheckStep<Facts> = {
  name: 'certificate',
  needs: ['ca-bundle', 'dial'],
  run(facts) {
    const { chain, dialError, endpoint, tlsError, untrusted } = facts.probe as Probe;
    if (dialError !== undefined) return unseen('the server cannot be reached from here');
    if (tlsError !== undefined) return tlsFailure(tlsError, hostPort(endpoint));
    const [leaf] = chain;
    if (leaf === undefined)
      return failed('the server shows no certificate', 'Give it --tls-cert-file and --tls-private-key-file.');
    const apiService = remoteOf(facts);
    if (apiService.spec.insecureSkipTLSVerify) return unseen('nobody looks at it: insecureSkipTLSVerify');
    const errors = chain.flatMap((certificate) => {
      const why = outOfTime(certificate, Date.now());
      return why === undefined ? [] : [{ text: `${subjectOf(certificate)} ${why}`, mend: renew }];
    });
    const name = invalidName(leaf, tlsName(apiService));
    if (name !== undefined) {
      errors.push({
        text: `it ${name}`,
        mend: `Issue one with the alternative name DNS:${tlsName(apiService)}.`,
      });
    }
    const chainError = untrusted === undefined ? undefined : untrustedTexts.get(untrusted);
    if (chainError) errors.push(chainError);
    else if (untrusted !== undefined && errors.length === 0) {
      errors.push({ text: `it is not trusted: ${untrusted}`, mend: otherCA });
    }
    if (errors.length === 0)
      return ok(`${subjectOf(leaf)}, until ${leaf.validToDate.toISOString().slice(0, 10)}`);
    return failed(
      errors.map(({ text }) => text).join('; '),
      [...new Set(errors.map(({ mend }) => mend))].join(' '),
    );
  },
};

const subjectOf = ({ subject }: { subject: string }): string => subject.replaceAll('\n', ', ') || 'it';

const renew =
  'Renew the serving certificate (and look at the clocks of both machines), then restart the server.';
const otherCA =
  'Put the authority that signed the serving certificate into spec.caBundle, or serve one that this authority signed. A server that was restarted may have made itself a new one.';

const foreign = { text: 'no authority of spec.caBundle signed it', mend: otherCA };
const untrustedTexts = tableOf<{ text: string; mend: string }>({
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: foreign,
  UNABLE_TO_GET_ISSUER_CERT: foreign,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: foreign,
  SELF_SIGNED_CERT_IN_CHAIN: foreign,
  DEPTH_ZERO_SELF_SIGNED_CERT: foreign,
  CERT_SIGNATURE_FAILURE: foreign,
  INVALID_CA: { ...foreign, text: 'what signed it is no authority' },
  INVALID_PURPOSE: {
    text: 'it is no certificate for servers',
    mend: 'Issue one with the extended key usage serverAuth.',
  },
});

function tlsFailure(error: NodeJS.ErrnoException, at: string): Finding {
  const { code = '', message } = error;
  if (speaksNoTls(error)) {
    return failed(
      `what listens on ${at} speaks no TLS`,
      'Point the Service at the server’s HTTPS port, or give the server a certificate.',
    );
  }
  if (code.includes('ALERT')) {
    return failed(
      `the server refuses the handshake: ${message}`,
      'It demands a client certificate before anybody has asked for anything: its --client-ca-file has to allow the proxy’s, or it has to ask for certificates without demanding one.',
    );
  }
  return failed(
    `no TLS with ${at}: ${message}`,
    'Look at the log of the server; something in between may end the connection.',
  );
}
