import { Client, type ClientConfig } from '@annex/client';
import { isReason } from '@annex/machinery';
import { OperatorError } from '@annex/runtime';
import { type Attempt, attemptsPath } from '@annex/scheduler';
import type { WhyPendingConfig } from '../why-pending-options.ts';

type Options = Pick<WhyPendingConfig, 'namespace' | 'scheduler' | 'insecureSkipTlsVerify'>;

/**
 * Resolves to the past attempts of a Pod, the oldest first: those of the scheduler that the options name, or of the schedulers in the process
 * of the server. Other servers have none.
 */
export async function attemptsOf(
  client: Client,
  access: ClientConfig,
  { namespace, scheduler, insecureSkipTlsVerify }: Options,
  pod: string,
): Promise<readonly Attempt[]> {
  const path = `${attemptsPath}/${encodeURIComponent(namespace)}/${encodeURIComponent(pod)}`;
  const read = async (from: Client) => (await from.json<{ attempts: Attempt[] }>({ path })).attempts;
  if (scheduler === undefined)
    return await read(client).catch((error: unknown) => {
      // A server without schedulers, and a user who may not see their attempts.
      if (isReason(error, 'NotFound') || isReason(error, 'Forbidden')) return [];
      throw error;
    });
  if (!URL.canParse(scheduler))
    throw new OperatorError('OPTION_VALUE_INVALID', `--scheduler: ${scheduler} is not a URL`);
  const other = new Client({
    ...access,
    server: scheduler,
    ...(insecureSkipTlsVerify ? { insecureSkipTlsVerify } : {}),
  });
  try {
    return await read(other);
  } finally {
    other.close();
  }
}
