import { StatusError } from '@annex/machinery';
import type { Clock } from '@annex/runtime';
import type { RequestContext } from '@annex/kinds';
import { sendStatus, sendText } from './respond.ts';
import { requestAttributes } from './steps/authorize.ts';
import type { Next } from './step.ts';
import { isStream } from './streams.ts';
import { type AuditPolicy, type AuditSink, RequestAudit } from '@annex/audit';
import { latencyAnnotations } from './latencies.ts';

/** Writes the audit events of requests. */
export interface Auditor {
  /** Runs the rest of the request path and writes the audit events that the policy selects. */
  run(request: RequestContext, next: Next<RequestContext>): Promise<void> | void;
  /** Begins the event of a request whose authentication failed. Call it before the response is sent. */
  refused(request: RequestContext): void;
}

export interface AuditorOptions {
  policy: AuditPolicy;
  sink: AuditSink;
  clock: Clock;
}

export function createAuditor(options: AuditorOptions): Auditor {
  const begin = (request: RequestContext): RequestAudit | undefined => {
    const attributes = requestAttributes(request.user, request.info);
    const decision = options.policy.decide(attributes);
    if (decision.level === 'None') return undefined;
    const audit = (request.audit = new RequestAudit(request, attributes, decision, options));
    if (request.remarks) audit.annotateAll(request.remarks.annotations);
    return audit;
  };
  return {
    run(request, next) {
      const audit = begin(request);
      return audit === undefined ? next(request) : audited(request, audit, next);
    },
    refused(request) {
      const audit = begin(request);
      if (audit !== undefined) onResponse(request, audit, true);
    },
  };
}

async function audited(
  request: RequestContext,
  audit: RequestAudit,
  next: Next<RequestContext>,
): Promise<void> {
  const received = audit.stage('RequestReceived');
  if (!(received instanceof Promise ? await received : received)) return refuse(request);
  const stream = isStream(request);
  const responded = onResponse(request, audit, stream);
  try {
    await next(request);
  } catch (error) {
    responded.end();
    if (!(error instanceof StatusError)) {
      audit.panicked(error instanceof Error ? error.message : String(error));
      await audit.stage('Panic');
      throw error;
    }
    responded.begin();
    if (!request.res.destroyed) await sendStatus(request, error);
  }
  responded.end();
  if (!audit.hasStatus) {
    audit.closedEarly();
    if (stream) await audit.stage('ResponseStarted');
  }
  if (!stream) audit.annotateAll(latencyAnnotations(request.trace));
  await audit.stage('ResponseComplete');
}

/**
 * Records the status code when the response head is written. For a stream this is the stage ResponseStarted.
 */
function onResponse({ res }: RequestContext, audit: RequestAudit, withStage: boolean) {
  const { writeHead } = res;
  let waiting = true;
  const hooked = res as { writeHead: (...args: unknown[]) => unknown };
  hooked.writeHead = (...args) => {
    if (waiting) {
      waiting = false;
      audit.code(Number(args[0]));
      if (withStage) audit.stage('ResponseStarted');
    }
    return (writeHead as (...args: unknown[]) => unknown).apply(res, args);
  };
  return {
    begin() {
      waiting ||= !res.headersSent;
    },
    end() {
      waiting = false;
    },
  };
}

function refuse(request: RequestContext): void {
  const why = 'failed to store audit event';
  sendText(request, 500, `Internal Server Error: ${JSON.stringify(request.req.url)}: ${why}\n`);
}
