import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { listen, type Logger, type ProcessDescription, runProcess, startupLog } from '@annex/runtime';
import { openServer } from './live-server.ts';
import { longFlags, placeOf, type ProxyConfig, proxyConflicts, proxyOptions, withSlash } from './options.ts';
import { createProxyServer } from './proxy-server.ts';
import { RequestFilter } from './request-filter.ts';

/** The process of the HTTP proxy. */
const proxyProgram = (defaultKubeconfig: string) =>
  ({
    name: 'proxy',
    usage: 'annex proxy [options]',
    options: proxyOptions,
    conflicts: proxyConflicts,
    async start(config) {
      const log = startupLog('proxy', proxyOptions, config);
      const { context, kubeconfig = defaultKubeconfig } = config;
      const server = await openServer({ kubeconfig, context, log });
      const filter = config.disableFilter ? undefined : new RequestFilter(config);
      warn(config, new URL(server.current().server), log);
      const app = createProxyServer({
        server: () => server.current(),
        filter,
        apiPrefix: withSlash(config.apiPrefix),
        ...(config.www === undefined
          ? {}
          : { files: { folder: resolve(config.www), prefix: withSlash(config.wwwPrefix) } }),
        appendServerPath: config.appendServerPath,
        keepaliveMs: config.keepalive,
        log,
      });
      await app.ready();
      const { address } = await listen(app.server, placeOf(config));
      // Scripts that start kubectl proxy wait for this line.
      process.stdout.write(`Starting to serve on ${address}\n`);
      const stop = async () => {
        server.close();
        await app.close();
        return [];
      };
      return { about: address, stop };
    },
  }) satisfies ProcessDescription<ProxyConfig>;

/** The main function of `annex proxy`. Resolves to the exit code. */
export const runProxy = (
  argv: readonly string[],
  env: NodeJS.ProcessEnv,
  defaultKubeconfig: string,
): Promise<number> => runProcess<ProxyConfig>(proxyProgram(defaultKubeconfig), longFlags(argv), env);

/** What kubectl proxy warns of. */
function warn(config: ProxyConfig, { pathname }: URL, log: Logger): void {
  if (config.disableFilter && config.unixSocket === undefined)
    log.warn('Request filter disabled, your proxy is vulnerable to XSRF attacks, please be cautious');
  if (!config.appendServerPath && pathname !== '/')
    log.warn('the path of the server in the kubeconfig is left out; --append-server-path adds it', {
      path: pathname,
    });
  if (config.www !== undefined && !isFolder(config.www))
    log.warn('the folder of static files is no folder', { folder: config.www });
}

const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
