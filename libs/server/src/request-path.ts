import type { Authenticator, Authorizer } from '@annex/auth';
import type { FlowControl } from '@annex/flow-control';
import type { Logger, Metrics } from '@annex/runtime';
import type { Auditor } from './auditor.ts';
import { allowOrigins } from './steps/allow-origins.ts';
import { assignAuditId } from './steps/assign-audit-id.ts';
import { authenticate } from './steps/authenticate.ts';
import { authorize } from './steps/authorize.ts';
import { recoverFromErrors } from './steps/recover-from-errors.ts';
import { deadline } from './steps/deadline.ts';
import { dispatch } from './steps/dispatch.ts';
import { dropIdentityHeaders } from './steps/drop-identity-headers.ts';
import { impersonate } from './steps/impersonate.ts';
import { limitFlows } from './steps/limit-flows.ts';
import { type InFlightLimits, limitInFlight } from './steps/limit-in-flight.ts';
import { parseRequest } from './steps/parse-request.ts';
import { authorizeTrace } from './steps/authorize-trace.ts';
import { recordAudit } from './steps/record-audit.ts';
import { recordRequest } from './steps/record-request.ts';
import type { Route } from './route.ts';
import type { Step } from './step.ts';
import type { TraceLog } from './trace/trace-log.ts';

/** Dependencies of the steps of the request path. */
export interface RequestPathDeps {
  log: Logger;
  metrics: Metrics;
  /** Keeps the decision traces of the last requests. */
  traces: TraceLog;
  /** True for origins whose web pages are allowed to send requests; by default none. */
  allowsOrigin?: ((origin: string) => boolean) | undefined;
  authenticator: Authenticator;
  /** Writes audit events; absent if auditing is off. */
  auditor?: Auditor | undefined;
  authorizer: Authorizer;
  /** Names of the identity headers of authenticating proxies, lower case; a prefix ends in `-`. */
  identityHeaders: readonly string[];
  /** The maximum duration in milliseconds of a request that is not a watch or another stream. */
  requestTimeoutMs: number;
  /** The maximum numbers of concurrent requests, if there is no flow control. */
  maxInFlight: InFlightLimits;
  /** Gives requests their seats; absent if API Priority and Fairness is off, and behind a front proxy. */
  flowControl?: FlowControl | undefined;
  /** The route table, for requests that passed all steps. */
  routes: readonly Route[];
}

/** Returns the request path: the order below is the order of execution. */
export const requestSteps = (deps: RequestPathDeps): Step[] => [
  assignAuditId,
  recordRequest(deps),
  recoverFromErrors(deps.log),
  parseRequest,
  deadline(deps.requestTimeoutMs),
  allowOrigins(deps.allowsOrigin),
  authenticate(deps.authenticator, deps.auditor),
  dropIdentityHeaders(deps.identityHeaders),
  recordAudit(deps.auditor),
  impersonate(deps.authorizer),
  authorizeTrace(deps.authorizer),
  deps.flowControl ? limitFlows(deps.flowControl, deps.requestTimeoutMs) : limitInFlight(deps.maxInFlight),
  authorize(deps.authorizer),
  dispatch(deps.routes),
];
