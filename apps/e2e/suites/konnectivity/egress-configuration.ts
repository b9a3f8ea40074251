import type { Mode, Transport, TunnelPrograms } from './programs.ts';

/** How an API server reaches the server of a tunnel. */
export interface EgressForm {
  mode: Mode;
  transport: Transport;
  /** The path of the socket, or the URL. */
  frontend: string;
}

/** The file of `--egress-selector-config-file`: each selection has a form of the tunnel. */
export const egressConfiguration = (
  programs: TunnelPrograms,
  selections: Readonly<Record<string, EgressForm>>,
): string =>
  programs.file(
    'egress.json',
    JSON.stringify({
      apiVersion: 'apiserver.k8s.io/v1beta1',
      kind: 'EgressSelectorConfiguration',
      egressSelections: Object.entries(selections).map(([name, form]) => ({
        name,
        connection: connectionOf(programs, form),
      })),
    }),
  );

function connectionOf(programs: TunnelPrograms, { mode, transport, frontend }: EgressForm): object {
  const tlsConfig = {
    caBundle: programs.file('ca.crt'),
    clientCert: programs.file('client.crt'),
    clientKey: programs.file('client.key'),
  };
  return {
    proxyProtocol: mode === 'grpc' ? 'GRPC' : 'HTTPConnect',
    transport: transport === 'uds' ? { uds: { udsName: frontend } } : { tcp: { url: frontend, tlsConfig } },
  };
}
