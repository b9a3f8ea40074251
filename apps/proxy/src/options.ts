import {
  type ConflictCheck,
  type HostPort,
  type KubeconfigConfig,
  kubeconfigOptions,
  type LogConfig,
  logOptions,
  optionGroup,
  type OptionsTable,
  portOption,
  type SocketPlace,
  type WatchdogConfig,
  watchdogOptions,
} from '@annex/runtime';

/** Which requests reach the API server. Each is a list of RE2 patterns with commas between them. */
export interface FilterConfig {
  acceptHosts: string;
  acceptPaths: string;
  rejectPaths: string;
  rejectMethods: string;
}

/** The configuration of the HTTP proxy. */
export interface ProxyConfig extends FilterConfig, KubeconfigConfig, LogConfig, WatchdogConfig {
  address: string;
  port: number;
  unixSocket: string | undefined;
  apiPrefix: string;
  www: string | undefined;
  wwwPrefix: string;
  disableFilter: boolean;
  keepalive: number;
  appendServerPath: boolean;
}

const defaultPort = 8001;

const filterOptions: OptionsTable<FilterConfig> = {
  acceptHosts: {
    flag: 'accept-hosts',
    type: 'string',
    default: String.raw`^localhost$,^127\.0\.0\.1$,^\[::1\]$`,
    help: 'Patterns of the Host header, without its port. They protect from web pages whose name was rebound to this machine.',
  },
  acceptPaths: {
    flag: 'accept-paths',
    type: 'string',
    default: '^.*',
    help: 'Patterns of the paths to forward.',
  },
  rejectPaths: {
    flag: 'reject-paths',
    type: 'string',
    default: '^/api/.*/pods/.*/exec,^/api/.*/pods/.*/attach',
    help: 'Patterns of the paths to refuse, even if --accept-paths has them.',
  },
  rejectMethods: {
    flag: 'reject-methods',
    type: 'string',
    default: '^$',
    help: 'Patterns of the methods to refuse: POST,PUT,PATCH.',
  },
};

/** The options of the HTTP proxy: those of kubectl proxy. */
export const proxyOptions: OptionsTable<ProxyConfig> = {
  ...kubeconfigOptions,
  address: {
    flag: 'address',
    type: 'string',
    default: '127.0.0.1',
    help: 'The address to listen on. Everyone who reaches it has the permissions of the user of the kubeconfig.',
  },
  port: portOption('port', defaultPort, 'The port to listen on; 0 selects a free port.'),
  unixSocket: {
    flag: 'unix-socket',
    type: 'path',
    help: 'A Unix socket to listen on instead of a port; only this user can connect. An existing socket is replaced.',
  },
  apiPrefix: {
    flag: 'api-prefix',
    type: 'string',
    default: '/',
    help: 'The path under which the API is served. It is removed from forwarded paths, unless it begins with /api.',
  },
  www: {
    flag: 'www',
    type: 'path',
    help: 'A folder of static files to serve.',
  },
  wwwPrefix: {
    flag: 'www-prefix',
    type: 'string',
    default: '/static/',
    help: 'The path under which static files are served.',
  },
  ...optionGroup('Filter', filterOptions),
  disableFilter: {
    flag: 'disable-filter',
    type: 'bool',
    default: false,
    help: 'Forwards every request. Web pages in a browser of this machine can then use the API.',
  },
  keepalive: {
    flag: 'keepalive',
    type: 'duration',
    default: 0,
    help: 'The period of TCP keepalive of upgraded connections; 0 is without.',
  },
  appendServerPath: {
    flag: 'append-server-path',
    type: 'bool',
    default: false,
    help: "Adds the path of the server's URL in the kubeconfig to every request.",
  },
  ...logOptions,
  ...watchdogOptions,
};

/** Where the proxy listens. A Unix socket replaces an older one, and only its user can connect. */
export const placeOf = ({
  address: host,
  port,
  unixSocket: path,
}: Pick<ProxyConfig, 'address' | 'port' | 'unixSocket'>): HostPort | SocketPlace =>
  path === undefined ? { host, port } : { path, mask: 0o077, deleteExisting: true };

/** Combinations that kubectl refuses, or that would serve one path twice. */
export const proxyConflicts: ConflictCheck<ProxyConfig> = (config) => [
  ...(config.unixSocket !== undefined && config.port !== defaultPort
    ? ['cannot set --unix-socket and --port at the same time']
    : []),
  ...(config.www !== undefined && withSlash(config.wwwPrefix) === withSlash(config.apiPrefix)
    ? ['--www-prefix and --api-prefix are the same path']
    : []),
  ...(['apiPrefix', 'wwwPrefix'] as const).flatMap((name) =>
    config[name].startsWith('/') ? [] : [`--${proxyOptions[name].flag} does not begin with a slash`],
  ),
];

/** Prefixes end with a slash. */
export const withSlash = (prefix: string): string => (prefix.endsWith('/') ? prefix : `${prefix}/`);

/** kubectl's short forms. */
const shortFlags = new Map([
  ['-p', '--port'],
  ['-w', '--www'],
  ['-P', '--www-prefix'],
  ['-u', '--unix-socket'],
]);

/** Replaces kubectl's short flags: `-p 8080`, `-p8080` and `-p=8080`. */
export const longFlags = (argv: readonly string[]): string[] =>
  argv.flatMap((word) => {
    const long = shortFlags.get(word.slice(0, 2));
    if (long === undefined) return [word];
    const value = word.slice(2);
    return value === '' ? [long] : [`${long}=${value.startsWith('=') ? value.slice(1) : value}`];
  });
