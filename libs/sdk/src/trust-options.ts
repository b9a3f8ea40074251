import type { OptionsTable } from '@annex/runtime';
import { type RequestHeaderConfig, requestHeaderOptions } from '@annex/process';
import type { TrustSource } from './live-trust.ts';

/** Whom to trust, where that is not left to the API server. */
export interface TrustConfig extends RequestHeaderConfig {
  clientCaFile: string | undefined;
  requestheaderClientCaFile: string | undefined;
}

/** Those that the Go library has. Each authority that is given is used in the place of what the API server publishes. */
export const trustOptions: OptionsTable<TrustConfig> = {
  clientCaFile: {
    flag: 'client-ca-file',
    type: 'path',
    env: false,
    help: 'Authorities of client certificates; those that the API server publishes by default.',
  },
  requestheaderClientCaFile: {
    flag: 'requestheader-client-ca-file',
    type: 'path',
    env: false,
    help: 'Authorities of authenticating proxies; without it they, their names and headers are those that the API server publishes.',
  },
  requestheaderAllowedNames: { ...requestHeaderOptions.requestheaderAllowedNames, env: false, default: [] },
  requestheaderUsernameHeaders: { ...requestHeaderOptions.requestheaderUsernameHeaders, env: false },
  requestheaderGroupHeaders: { ...requestHeaderOptions.requestheaderGroupHeaders, env: false },
  requestheaderUidHeaders: { ...requestHeaderOptions.requestheaderUidHeaders, env: false },
  requestheaderExtraHeadersPrefix: { ...requestHeaderOptions.requestheaderExtraHeadersPrefix, env: false },
};

/** What the options say in the place of the ConfigMap. */
export function configuredTrust(config: TrustConfig): TrustSource {
  const { clientCaFile: clients, requestheaderClientCaFile: proxies } = config;
  return {
    ...(clients === undefined ? {} : { 'client-ca-file': { file: clients } }),
    ...(proxies === undefined ? {} : proxyData(proxies, config)),
  };
}

const proxyData = (file: string, config: RequestHeaderConfig): TrustSource => ({
  'requestheader-client-ca-file': { file },
  'requestheader-allowed-names': JSON.stringify(config.requestheaderAllowedNames),
  'requestheader-username-headers': JSON.stringify(config.requestheaderUsernameHeaders),
  'requestheader-group-headers': JSON.stringify(config.requestheaderGroupHeaders),
  'requestheader-uid-headers': JSON.stringify(config.requestheaderUidHeaders),
  'requestheader-extra-headers-prefix': JSON.stringify(config.requestheaderExtraHeadersPrefix),
});
