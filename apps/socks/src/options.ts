import {
  type ConflictCheck,
  type LogConfig,
  logOptions,
  type OptionsTable,
  portOption,
  type WatchdogConfig,
  watchdogOptions,
} from '@annex/runtime';

/** The configuration of the SOCKS5 proxy. */
export interface SocksConfig extends LogConfig, WatchdogConfig {
  bindAddress: string;
  port: number;
  kubeconfig: string | undefined;
  allowDestinations: readonly string[];
  credentialsFile: string | undefined;
  maxConnections: number;
}

/** The options of the SOCKS5 proxy. */
export const socksOptions: OptionsTable<SocksConfig> = {
  bindAddress: {
    flag: 'bind-address',
    nonEmpty: true,
    type: 'string',
    default: '127.0.0.1',
    help: 'The address to listen on.',
  },
  port: portOption('port', 1080, 'The port to listen on; 0 selects a free port.'),
  kubeconfig: {
    flag: 'kubeconfig',
    env: 'KUBECONFIG',
    type: 'path',
    help: 'Clients may connect to the server of its current context. Changes of the file are followed.',
  },
  allowDestinations: {
    flag: 'allow-destinations',
    type: 'list',
    default: [],
    help: 'Further destinations: host names, *.DOMAIN for subdomains, addresses or networks, each with :PORT or for every port.',
  },
  credentialsFile: {
    flag: 'credentials-file',
    type: 'path',
    help: 'A file with lines of user:password, which is followed. With it, clients have to sign in.',
  },
  maxConnections: {
    flag: 'max-connections',
    type: 'int',
    default: 1_000,
    min: 1,
    max: 100_000,
    help: 'The maximum number of clients; further ones are disconnected.',
  },
  ...logOptions,
  // The log is the access log.
  logLevel: { ...logOptions.logLevel, type: 'string', default: 'info' },
  ...watchdogOptions,
};

/** Without a destination, the proxy would refuse everything. */
export const socksConflicts: ConflictCheck<SocksConfig> = (config) =>
  config.kubeconfig === undefined && config.allowDestinations.length === 0
    ? ['no destination is allowed: name the server by --kubeconfig, or destinations by --allow-destinations']
    : [];
