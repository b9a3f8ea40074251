import { shareCA } from '@annex/auth';
import { type LiveText, OperatorError, optionGroup, type OptionsTable } from '@annex/runtime';

/** The names of authenticating proxies, and the headers with which they name the user. */
export interface RequestHeaderConfig {
  requestheaderAllowedNames: readonly string[];
  requestheaderUsernameHeaders: readonly string[];
  requestheaderGroupHeaders: readonly string[];
  requestheaderUidHeaders: readonly string[];
  requestheaderExtraHeadersPrefix: readonly string[];
}

/** kube-apiserver's `--requestheader-*` options. */
export const requestHeaderOptions: OptionsTable<RequestHeaderConfig> = optionGroup(
  'Authentication by proxies',
  {
    requestheaderAllowedNames: {
      flag: 'requestheader-allowed-names',
      type: 'list',
      default: ['front-proxy-client'],
      help: 'The allowed common names of authenticating proxies; empty for any.',
    },
    requestheaderUsernameHeaders: {
      flag: 'requestheader-username-headers',
      type: 'list',
      default: ['X-Remote-User'],
      help: 'Headers with the user name; the first one in the request applies.',
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
  },
);

/** Returns the names of all headers that can contain an identity, in lower case; a prefix ends in a dash. */
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

interface ClientCAs {
  clientCa?: LiveText | undefined;
  requestheaderCa?: LiveText | undefined;
}

/**
 * Throws OperatorError OPTION_CONFLICT if every client certificate could identify a proxy. Source: "CA
 * Reusage and Conflicts" of https://kubernetes.io/docs/tasks/extend-kubernetes/configure-aggregation-layer/
 */
export function refuseProxiesOfClients(
  { requestheaderAllowedNames: names }: RequestHeaderConfig,
  { clientCa, requestheaderCa }: ClientCAs,
): void {
  if (names.length > 0 || clientCa === undefined || requestheaderCa === undefined) return;
  if (!shareCA(clientCa.current(), requestheaderCa.current())) return;
  throw new OperatorError(
    'OPTION_CONFLICT',
    '--requestheader-client-ca-file and --client-ca-file contain overlapping certificates; --requestheader-allowed-names must be specified to ensure regular client certificates cannot set authenticating proxy headers for arbitrary users',
  );
}

/** The current authentication data for extension API servers. */
export interface PublishedAuthentication {
  /** `data` of the ConfigMap `extension-apiserver-authentication`. */
  data(): Record<string, string>;
  /** Calls the listener after each change. Returns a function that removes it. */
  onChange(listener: () => void): () => void;
}

/** Returns the data with which extension API servers trust the same clients and proxies as this server. */
export function extensionAuthentication(
  config: RequestHeaderConfig,
  { clientCa, requestheaderCa }: ClientCAs,
): PublishedAuthentication {
  const names = {
    'requestheader-allowed-names': config.requestheaderAllowedNames,
    'requestheader-username-headers': config.requestheaderUsernameHeaders,
    'requestheader-group-headers': config.requestheaderGroupHeaders,
    ...(config.requestheaderUidHeaders.length > 0
      ? { 'requestheader-uid-headers': config.requestheaderUidHeaders }
      : {}),
    'requestheader-extra-headers-prefix': config.requestheaderExtraHeadersPrefix,
  };
  const proxies = Object.fromEntries(Object.entries(names).map(([key, list]) => [key, JSON.stringify(list)]));
  return {
    data: () => ({
      ...(clientCa === undefined ? {} : { 'client-ca-file': clientCa.current() }),
      ...(requestheaderCa === undefined
        ? {}
        : { 'requestheader-client-ca-file': requestheaderCa.current(), ...proxies }),
    }),
    onChange(listener) {
      const ends = [clientCa, requestheaderCa].map((text) => text?.onChange(listener));
      return () => ends.forEach((end) => end?.());
    },
  };
}
