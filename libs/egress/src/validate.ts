import { existsSync } from 'node:fs';
import { type FieldError, fieldErrors, FieldPath } from '@annex/machinery';
import type { EgressConfiguration, EgressSelection, EgressTls, EgressTransport } from './configuration.ts';

const { duplicate, invalid, notSupported, required } = fieldErrors;
const at = FieldPath.of('service', 'connection');
const names = ['cluster', 'controlplane', 'etcd'];

/** Validates a configuration, the existence of its files included. The errors are kube-apiserver's. */
export const validateEgressConfiguration = ({ egressSelections }: EgressConfiguration): FieldError[] => [
  ...egressSelections.flatMap(connectionErrors),
  ...nameErrors(egressSelections),
];

function nameErrors(selections: readonly EgressSelection[]): FieldError[] {
  const seen = new Set<string>();
  return selections.flatMap((selection, index) => {
    const name = selection.name.toLowerCase();
    if (seen.has(name)) return [duplicate(at.index(index), name)];
    seen.add(name);
    return names.includes(name) ? [] : [notSupported(at, name, names)];
  });
}

function connectionErrors({ connection: { proxyProtocol, transport } }: EgressSelection): FieldError[] {
  switch (proxyProtocol) {
    case 'Direct':
      return transport === undefined
        ? []
        : [invalid(at.child('transport'), 'direct', 'config must be absent for direct connect')];
    case 'HTTPConnect':
      return httpConnectErrors(transport);
    case 'GRPC':
      return grpcErrors(transport);
    default:
      return [notSupported(at.child('protocol'), proxyProtocol, ['Direct', 'HTTPConnect', 'GRPC'])];
  }
}

function httpConnectErrors(transport: EgressTransport | undefined): FieldError[] {
  if (transport === undefined)
    return [required(at.child('transport'), 'transport must be set for HTTPConnect')];
  const { tcp, uds } = transport;
  if (tcp !== undefined && uds !== undefined)
    return [invalid(at.child('tcp'), printedTcp(tcp), 'TCP and UDS cannot both be set')];
  if (tcp !== undefined) return tcpErrors(tcp);
  if (uds !== undefined) return udsErrors(uds);
  return [required(at.child('tcp'), 'One of TCP or UDS must be set')];
}

/** The names of Go's fields. */
const printedTcp = ({ tlsConfig: tls, url }: NonNullable<EgressTransport['tcp']>) => ({
  URL: url,
  TLSConfig:
    tls === undefined
      ? null
      : {
          CABundle: tls.caBundle,
          ClientKey: tls.clientKey,
          ClientCert: tls.clientCert,
          TLSServerName: tls.tlsServerName,
        },
});

function grpcErrors(transport: EgressTransport | undefined): FieldError[] {
  if (transport === undefined) return [required(at.child('transport'), 'transport must be set for GRPC')];
  return transport.uds === undefined
    ? [required(at.child('uds'), 'UDS must be set with GRPC')]
    : udsErrors(transport.uds);
}

const udsErrors = ({ udsName }: NonNullable<EgressTransport['uds']>): FieldError[] =>
  udsName === '' ? [invalid(at.child('udsName'), 'nil', 'must be present for UDS connections')] : [];

function tcpErrors({ tlsConfig, url }: NonNullable<EgressTransport['tcp']>): FieldError[] {
  if (url.startsWith('https://')) return tlsErrors(tlsConfig);
  if (!url.startsWith('http://'))
    return [invalid(at.child('url'), url, 'supported connection protocols are http:// and https://')];
  return tlsConfig === undefined
    ? // kube-apiserver accepts it, and ends with a nil pointer when it connects.
      [invalid(at.child('url'), url, 'connections to the proxy server must use TLS: https://')]
    : [invalid(at.child('tlsConfig'), 'nil', 'config must not be present when using HTTP')];
}

function tlsErrors(tls: EgressTls | undefined): FieldError[] {
  const place = at.child('tlsConfig');
  if (tls === undefined) return [required(place, 'TLSConfig must be present when using HTTPS')];
  const { caBundle, clientCert, clientKey } = tls;
  return [
    ...(caBundle === '' ? [] : fileErrors(place.child('caBundle'), caBundle, 'ca bundle')),
    ...(clientCert === ''
      ? [invalid(place.child('clientCert'), 'nil', 'Using TLS requires clientCert')]
      : fileErrors(place.child('clientCert'), clientCert, 'client cert')),
    ...(clientKey === ''
      ? [invalid(place.child('clientKey'), 'nil', 'Using TLS requires requires clientKey')]
      : fileErrors(place.child('clientKey'), clientKey, 'client key')),
  ];
}

const fileErrors = (place: FieldPath, file: string, what: string): FieldError[] =>
  existsSync(file)
    ? []
    : [
        invalid(
          place,
          file,
          what === 'ca bundle' ? 'TLS config ca bundle does not exist' : `TLS ${what} does not exist`,
        ),
      ];
