import { optionGroup, type OptionsTable } from '@annex/runtime';
import { type RequestHeaderConfig, requestHeaderOptions } from '@annex/process';
import type { TrustSource } from '@annex/process';

/** CAs that replace those of the API server. */
export interface TrustConfig extends RequestHeaderConfig {
  clientCaFile: string | undefined;
  requestheaderClientCaFile: string | undefined;
}

/** The options of the Go library. Each configured CA replaces the one that the API server publishes. */
export const trustOptions: OptionsTable<TrustConfig> = optionGroup('API server and trust', {
  clientCaFile: {
    flag: 'client-ca-file',
    type: 'path',
    env: false,
    help: 'The CA of client certificates. Default: the one that the API server publishes.',
  },
  requestheaderClientCaFile: {
    flag: 'requestheader-client-ca-file',
    type: 'path',
    env: false,
    help: 'The CA of authenticating proxies. Default: the CA, names and headers that the API server publishes.',
  },
  requestheaderAllowedNames: { ...requestHeaderOptions.requestheaderAllowedNames, env: false, default: [] },
  requestheaderUsernameHeaders: { ...requestHeaderOptions.requestheaderUsernameHeaders, env: false },
  requestheaderGroupHeaders: { ...requestHeaderOptions.requestheaderGroupHeaders, env: false },
  requestheaderUidHeaders: { ...requestHeaderOptions.requestheaderUidHeaders, env: false },
  requestheaderExtraHeadersPrefix: { ...requestHeaderOptions.requestheaderExtraHeadersPrefix, env: false },
});

/** Returns the replacements for the ConfigMap by the options. */
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
