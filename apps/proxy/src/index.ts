export { type ProxyConfig, proxyOptions } from './options.ts';
export { createProxyServer, type ProxySetting } from './proxy-server.ts';
export { RequestFilter } from './request-filter.ts';
export { runProxy } from './run.ts';
