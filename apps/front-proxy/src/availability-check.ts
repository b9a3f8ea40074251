import {
  type ApiServiceCondition,
  type IdentityHeaderNames,
  type RemoteApiService,
  ResolveError,
  type ServiceResolver,
  type Transports,
  groupOf,
  identityHeaders,
  aggregatorUser,
} from '@annex/aggregation';
import { DialError, type Endpoint, fetchStatus, hostPort } from '@annex/http';

export const probeTimeoutMs = 5_000;
// One of several endpoints may be unreachable, and a backend may just be starting.
const attempts = 2;

/** The result of a check, without its time. */
export type Availability = Pick<ApiServiceCondition, 'status' | 'reason' | 'message'>;

const failed = (reason: string, message: string): Availability => ({ status: 'False', reason, message });

/** Dependencies of availability checks. */
export interface AvailabilityCheckDeps {
  resolver: ServiceResolver;
  transports: Transports;
  identityHeaders: IdentityHeaderNames;
}

/** Checks whether an extension server can be reached and serves the version that it was registered for. */
export async function checkAvailable(
  apiService: RemoteApiService,
  deps: AvailabilityCheckDeps,
): Promise<Availability> {
  let why = '';
  for (let attempt = 0; attempt < attempts; attempt++) {
    try {
      const endpoint = deps.resolver.resolve(apiService.spec.service);
      const error = await probe(apiService, endpoint, deps);
      if (error === undefined) return { status: 'True', reason: 'Passed', message: 'all checks passed' };
      why = error;
    } catch (error) {
      if (error instanceof ResolveError) return failed(error.reason, error.message);
      return failed('FailedDiscoveryCheck', (error as Error).message);
    }
  }
  return failed('FailedDiscoveryCheck', why);
}

async function probe(
  apiService: RemoteApiService,
  endpoint: Endpoint,
  { transports, identityHeaders: names }: AvailabilityCheckDeps,
): Promise<string | undefined> {
  const group = groupOf(apiService);
  const { version } = apiService.spec;
  const path = group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
  const url = `https://${hostPort(endpoint)}${path}`;
  const missing = (why: string) => `failing or missing response from ${url}: ${why}`;
  try {
    const status = await fetchStatus(
      {
        transport: transports.of(apiService),
        endpoint,
        method: 'GET',
        path,
        headers: [
          ...identityHeaders(aggregatorUser, names),
          ...['user-agent', 'annex', 'accept', 'application/json'],
        ],
      },
      { timeoutMs: probeTimeoutMs },
    );
    return status >= 200 && status < 300 ? undefined : missing(`bad status from ${url}: ${status}`);
  } catch (error) {
    if (!(error instanceof DialError)) throw error;
    return missing(`Get ${JSON.stringify(url)}: ${error.message}`);
  }
}
