import { tableOf } from '@annex/machinery';
import { Buffer } from 'node:buffer';
import { availableCondition, type RemoteApiService } from '@annex/aggregation';
import { hostPort, isWithoutTls } from '@annex/http';
import { certificatesOf, validityError, nameError } from './certificates.ts';
import { type Facts, tlsName } from './facts.ts';
import { type CheckStep, failed, type Finding, ok, unseen, warning } from './finding.ts';
import { probe, type Probe } from './probe.ts';

const remoteOf = (facts: Facts): RemoteApiService => facts.apiService as RemoteApiService;

const bundleOf = ({ spec: { caBundle = '' } }: RemoteApiService): string =>
  Buffer.from(caBundle, 'base64').toString();

/** Checks that the CA bundle of the registration can be parsed. */
export const bundleStep: CheckStep<Facts> = {
  name: 'ca-bundle',
  needs: ['api-service'],
  run(facts) {
    const { spec } = remoteOf(facts);
    if (spec.insecureSkipTLSVerify) {
      return warning(
        'insecureSkipTLSVerify is set: the identity of the server is not verified',
        'Set spec.caBundle to the CA of the serving certificate, and remove insecureSkipTLSVerify.',
      );
    }
    if (!spec.caBundle) {
      return warning(
        'it is empty: the API server trusts the CAs of its system',
        'Set spec.caBundle to the PEM of the CA that signed the serving certificate, base64 encoded once.',
      );
    }
    return checkBundle(bundleOf(remoteOf(facts)));
  },
};

function checkBundle(pem: string): Finding {
  const fix = 'spec.caBundle must be the PEM text of the CA, base64 encoded once: base64 -w0 ca.crt.';
  let cas;
  try {
    cas = certificatesOf(pem);
  } catch (error) {
    return failed(`it contains a certificate that cannot be parsed: ${(error as Error).message}`, fix);
  }
  if (cas.length === 0) return failed('it contains no PEM certificate', fix);
  const over = cas.map((ca) => validityError(ca, Date.now()));
  if (over.every((why) => why !== undefined)) {
    return failed(
      `its CA ${over[0]}`,
      'Create a new CA and serving certificate, and set spec.caBundle to the CA.',
    );
  }
  return ok(cas.map(({ subject }) => subject.replaceAll('\n', ', ')).join('; '));
}

/** Checks that a server listens on the addresses of the Service. */
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
  // The API server can reach it, so the network between here and the server is the cause.
  if (isAvailable)
    return unseen(`${at} cannot be reached from here (${code || message}), but the API server does`);
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') {
    return failed(
      `the name ${endpoint.host} has no address`,
      'Correct spec.externalName of the Service, or the DNS configuration of the API server’s machine.',
    );
  }
  if (code === 'ECONNREFUSED') {
    return failed(
      `no process listens on ${at}`,
      'Start the server, and compare its --secure-port and --bind-address with the targetPort and the address of the endpoints.',
    );
  }
  if (unreachableFromHere.includes(code)) {
    return unseen(
      `${at} cannot be reached from here (${code})`,
      'If the API server cannot reach it either, check firewalls, NetworkPolicies, and whether its machine routes Service and Pod addresses (--enable-aggregator-routing).',
    );
  }
  return failed(
    `${at}: ${message}`,
    'Check the network between the API server and the extension API server.',
  );
}

/** Checks that the registration trusts the certificate of the server. */
export const certificateStep: CheckStep<Facts> = {
  name: 'certificate',
  needs: ['ca-bundle', 'dial'],
  run(facts) {
    const { chain, dialError, endpoint, tlsError, untrusted } = facts.probe as Probe;
    if (dialError !== undefined) return unseen('the server cannot be reached from here');
    if (tlsError !== undefined) return tlsFailure(tlsError, hostPort(endpoint));
    const [leaf] = chain;
    if (leaf === undefined)
      return failed(
        'the server sent no certificate',
        'Start the server with --tls-cert-file and --tls-private-key-file.',
      );
    const apiService = remoteOf(facts);
    if (apiService.spec.insecureSkipTLSVerify)
      return unseen('insecureSkipTLSVerify is set: it is not verified');
    const errors = chain.flatMap((certificate) => {
      const why = validityError(certificate, Date.now());
      return why === undefined ? [] : [{ text: `${subjectOf(certificate)} ${why}`, fix: renew }];
    });
    const name = nameError(leaf, tlsName(apiService));
    if (name !== undefined) {
      errors.push({
        text: `it ${name}`,
        fix: `Issue one with the alternative name DNS:${tlsName(apiService)}.`,
      });
    }
    const chainError = untrusted === undefined ? undefined : untrustedTexts.get(untrusted);
    if (chainError) errors.push(chainError);
    else if (untrusted !== undefined && errors.length === 0) {
      errors.push({ text: `it is not trusted: ${untrusted}`, fix: otherCA });
    }
    if (errors.length === 0)
      return ok(`${subjectOf(leaf)}, until ${leaf.validToDate.toISOString().slice(0, 10)}`);
    return failed(
      errors.map(({ text }) => text).join('; '),
      [...new Set(errors.map(({ fix }) => fix))].join(' '),
    );
  },
};

const subjectOf = ({ subject }: { subject: string }): string => subject.replaceAll('\n', ', ') || 'it';

const renew = 'Check the clocks of both machines. Renew the serving certificate, and restart the server.';
const otherCA =
  'Set spec.caBundle to the CA that signed the serving certificate, or serve a certificate that this CA signed. Some servers create a new certificate at each start.';

const foreign = { text: 'no CA of spec.caBundle signed it', fix: otherCA };
const untrustedTexts = tableOf<{ text: string; fix: string }>({
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: foreign,
  UNABLE_TO_GET_ISSUER_CERT: foreign,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: foreign,
  SELF_SIGNED_CERT_IN_CHAIN: foreign,
  DEPTH_ZERO_SELF_SIGNED_CERT: foreign,
  CERT_SIGNATURE_FAILURE: foreign,
  INVALID_CA: { ...foreign, text: 'its issuer is not a CA' },
  INVALID_PURPOSE: {
    text: 'it is not a server certificate',
    fix: 'Issue one with the extended key usage serverAuth.',
  },
});

function tlsFailure(error: NodeJS.ErrnoException, at: string): Finding {
  const { code = '', message } = error;
  if (isWithoutTls(error)) {
    return failed(
      `the server on ${at} does not use TLS`,
      'Point the Service at the server’s HTTPS port, or configure a certificate of the server.',
    );
  }
  if (code.includes('ALERT')) {
    return failed(
      `the server rejects the TLS handshake: ${message}`,
      'The server requires a client certificate. Its --client-ca-file must include the CA of the proxy’s certificate, or client certificates must be optional.',
    );
  }
  return failed(
    `no TLS with ${at}: ${message}`,
    'Check the log of the server. A proxy or firewall may end the connection.',
  );
}
