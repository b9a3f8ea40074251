import { loadKubeconfig } from '@annex/client';
import { DestinationRules, type LiveFiles, type Logger, OperatorError } from '@annex/runtime';
import { Accounts } from './accounts.ts';
import type { SocksConfig } from './options.ts';

/** Returns a function that returns the users of a file as it is now. Rejects with OperatorError if it is invalid. */
export async function liveAccounts(path: string, files: LiveFiles): Promise<() => Accounts> {
  const file = await files.open(path, (text) => void new Accounts(text));
  let accounts = new Accounts(file.current());
  file.onChange(() => (accounts = new Accounts(file.current())));
  return () => accounts;
}

/**
 * Returns a function that returns the rules of an option, and of the server of a kubeconfig as it is now. An invalid kubeconfig
 * leaves the previous rules in use. Rejects with OperatorError if the first one is invalid.
 */
export async function liveRules(
  { allowDestinations, kubeconfig }: Pick<SocksConfig, 'allowDestinations' | 'kubeconfig'>,
  files: LiveFiles,
  log: Logger,
): Promise<() => DestinationRules> {
  if (kubeconfig === undefined) {
    const fixed = readRules(allowDestinations);
    return () => fixed;
  }
  const load = async () => readRules([await serverOf(kubeconfig), ...allowDestinations]);
  let rules = await load();
  const file = await files.open(kubeconfig);
  file.onChange(() => {
    load().then(
      (changed) => (rules = changed),
      (error: unknown) =>
        log.warn('the changed kubeconfig is invalid, its previous content stays in use', { error }),
    );
  });
  return () => rules;
}

/** The host and the port of the server of a kubeconfig. */
async function serverOf(kubeconfig: string): Promise<string> {
  const { hostname, port, protocol } = new URL((await loadKubeconfig(kubeconfig)).server);
  return `${hostname}:${port || (protocol === 'http:' ? 80 : 443)}`;
}

function readRules(texts: readonly string[]): DestinationRules {
  try {
    return new DestinationRules(texts);
  } catch (cause) {
    throw new OperatorError('OPTION_VALUE_INVALID', `--allow-destinations: ${(cause as Error).message}`, {
      cause,
    });
  }
}
