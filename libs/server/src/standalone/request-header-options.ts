import type { OptionsTable } from '@annex/runtime';

/** Whom an authenticating proxy may be, and the headers in which it says who the user is. */
export interface RequestHeaderConfig {
  requestheaderAllowedNames: readonly string[];
  requestheaderUsernameHeaders: readonly string[];
  requestheaderGroupHeaders: readonly string[];
  requestheaderUidHeaders: readonly string[];
  requestheaderExtraHeadersPrefix: readonly string[];
}

/** kube-apiserver's `--requestheader-*` options. */
export const requestHeaderOptions: OptionsTable<RequestHeaderConfig> = {
  requestheaderAllowedNames: {
    flag: 'requestheader-allowed-names',
    type: 'list',
    default: ['front-proxy-client'],
    help: 'Common names that authenticating proxies may have; empty for any.',
  },
  requestheaderUsernameHeaders: {
    flag: 'requestheader-username-headers',
    type: 'list',
    default: ['X-Remote-User'],
    help: 'Headers with the user name, the first one that is there counts.',
  },
  requestheaderGroupHeaders: {
    flag: 'requestheader-group-headers',
    type: 'list',
    default: ['X-Remote-Group'],
    help: 'Headers with the groups.',
  },
  requestheaderUidHeaders: {
    flag: 'requestheader-uid-headers',
    type: 'list',
    default: [],
    help: 'Headers with the uid.',
  },
  requestheaderExtraHeadersPrefix: {
    flag: 'requestheader-extra-headers-prefix',
    type: 'list',
    default: ['X-Remote-Extra-'],
    help: 'Prefixes of headers with extra attributes.',
  },
};

/** The names of all headers that may carry an identity, lower case; a prefix ends in a dash. */
export function identityHeaderNames(config: Partial<RequestHeaderConfig>): string[] {
  const always = ['X-Remote-User', 'X-Remote-Uid', 'X-Remote-Group', 'X-Remote-Extra-'];
  const configured = [
    ...(config.requestheaderUsernameHeaders ?? []),
    ...(config.requestheaderGroupHeaders ?? []),
    ...(config.requestheaderUidHeaders ?? []),
    ...(config.requestheaderExtraHeadersPrefix ?? []),
  ];
  return [...new Set([...always, ...configured].map((name) => name.toLowerCase()))];
}

/** `data` of the ConfigMap `extension-apiserver-authentication`, from which extension API servers learn whom to trust. */
export const extensionAuthentication = (
  config: RequestHeaderConfig,
  authorities: { clientCa?: string | undefined; requestheaderCa?: string | undefined },
): Record<string, string> => ({
  ...(authorities.clientCa === undefined ? {} : { 'client-ca-file': authorities.clientCa }),
  ...(authorities.requestheaderCa === undefined
    ? {}
    : {
        'requestheader-client-ca-file': authorities.requestheaderCa,
        'requestheader-allowed-names': JSON.stringify(config.requestheaderAllowedNames),
        'requestheader-username-headers': JSON.stringify(config.requestheaderUsernameHeaders),
        'requestheader-group-headers': JSON.stringify(config.requestheaderGroupHeaders),
        ...(config.requestheaderUidHeaders.length > 0
          ? { 'requestheader-uid-headers': JSON.stringify(config.requestheaderUidHeaders) }
          : {}),
        'requestheader-extra-headers-prefix': JSON.stringify(config.requestheaderExtraHeadersPrefix),
      }),
});
