export { type SocksConfig, socksOptions } from './options.ts';
export { runSocks } from './run.ts';
export { createSocksServer, type SocksSetting } from './socks-server.ts';
export { Accounts } from './accounts.ts';
