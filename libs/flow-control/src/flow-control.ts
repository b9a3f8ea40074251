import { finish, type Passes } from '@annex/machinery';
import type { Clock, Metrics } from '@annex/runtime';
import { mandatoryLevels, mandatorySchemas } from './bootstrap-objects.ts';
import { divideConcurrency } from './concurrency.ts';
import type { FlowRequest } from './flow-request.ts';
import { FlowControlMetrics } from './metrics.ts';
import { compileRules } from './policy-rules.ts';
import { limitingOf, PriorityLevel } from './priority-level.ts';
import type { Configured, FlowSchemaSpec, PriorityLevelSpec } from './specs.ts';
import { type ObjectFacts, estimateWork } from './work-estimate.ts';
import { Ticket } from './ticket.ts';

/** Milliseconds between adjustments of the seats to the demand. */
export const adjustmentMs = 10_000;

/** The FlowSchema of requests. */
export interface FlowSchema {
  readonly name: string;
  /** The headers of responses that name the schema and its level. */
  readonly headers: Readonly<Record<string, string>>;
  /** Counts its requests that get seats. */
  readonly dispatched: { inc(): void };
  readonly level: PriorityLevel;
  readonly matches: (request: FlowRequest) => boolean;
  /** Returns the part of a flow's identity that differs between the requests of a schema. */
  readonly distinguisher: (request: FlowRequest) => string;
}

export interface FlowControlOptions {
  clock: Pick<Clock, 'monotonic' | 'setTimeout' | 'setInterval'>;
  metrics: Metrics;
  /** The number of seats of the server. */
  seats: number;
  facts: ObjectFacts;
}

/** A request that was classified. */
export interface Classified {
  schema: FlowSchema;
  /** Its seats, or its place in a queue; the reason if it is refused. */
  outcome: Ticket | 'concurrency-limit' | 'queue-full';
}

/**
 * API Priority and Fairness: divides the seats of a server among priority levels, and those of a level among flows of requests.
 * Source: https://kubernetes.io/docs/concepts/cluster-administration/flow-control/
 */
export class FlowControl {
  readonly metrics: FlowControlMetrics;
  readonly #options: FlowControlOptions;
  #levels = new Map<string, PriorityLevel>();
  #schemas: readonly FlowSchema[] = [];

  constructor(options: FlowControlOptions) {
    this.#options = options;
    this.metrics = new FlowControlMetrics(options.metrics, () => this.levels);
    this.configure([], []);
  }

  /** The levels in use, by name. */
  get levels(): readonly PriorityLevel[] {
    return [...this.#levels.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  /** Adjusts the seats of the levels to their demand periodically. Returns a function that ends this. */
  start(): () => void {
    const timer = this.#options.clock.setInterval(() => this.adjust(), adjustmentMs);
    return () => timer.cancel();
  }

  /**
   * Uses other objects. Mandatory ones that are missing are added. Schemas whose level does not exist, and levels whose
   * specs are inconsistent, are not used. Levels that are no longer wanted end with their last requests.
   */
  configure(
    schemas: readonly Configured<FlowSchemaSpec>[],
    levels: readonly Configured<PriorityLevelSpec>[],
  ): void {
    const wanted = withMandatory(levels, mandatoryLevels).filter(
      ({ spec }) => limitingOf(spec) !== undefined,
    );
    const used = new Map<string, PriorityLevel>();
    for (const object of wanted) {
      const level = this.#levels.get(object.name) ?? new PriorityLevel(object.name, this.#options.clock);
      level.use(object);
      used.set(object.name, level);
    }
    this.#schemas = withMandatory(schemas, mandatorySchemas)
      .sort(byPrecedence)
      .flatMap((object) => {
        const level = used.get(object.spec.priorityLevelConfiguration.name);
        return level === undefined ? [] : [compileSchema(object, level, this.metrics)];
      });
    for (const [name, level] of this.#levels) {
      if (used.has(name) || level.queues.isIdle) continue;
      level.isQuiescing = true;
      used.set(name, level);
    }
    this.#levels = used;
    const sum = [...used.values()].reduce((shares, level) => shares + level.shares, 0);
    for (const level of used.values()) level.divide(this.#options.seats, sum);
    this.adjust();
  }

  /** Gives levels with much demand the seats that others lend. */
  adjust(): void {
    const now = this.#options.clock.monotonic();
    const levels = [...this.#levels.values()];
    for (const { queues } of levels) queues.demand.endPeriod(now);
    const total = levels.reduce((sum, { nominal }) => sum + nominal, 0);
    const exempt = levels.filter(({ limiting }) => limiting.kind === 'exempt');
    const limited = levels.filter(({ limiting }) => limiting.kind !== 'exempt');
    const seatsOfExempt = exempt.map(({ least, queues }) => Math.max(least, queues.demand.highest));
    const left = total - seatsOfExempt.reduce((sum, seats) => sum + seats, 0);
    exempt.forEach((level, i) => level.queues.configure(level.limiting, seatsOfExempt[i]!));
    const seats = seatsOfLimited(limited, left, total);
    limited.forEach((level, i) => level.queues.configure(level.limiting, seats[i]!));
  }

  /** Classifies a request and takes its seats, or a place in a queue. Each ticket has to be finished. */
  classify(request: FlowRequest): Classified {
    const schema = this.#schemas.find(({ matches }) => matches(request)) ?? this.#catchAll();
    const { level } = schema;
    const estimate = estimateWork(request, this.#options.facts, level.seatsOfRequest);
    const outcome = level.queues.start({
      request,
      schema: schema.name,
      distinguisher: schema.distinguisher(request),
      estimate,
    });
    if (!(outcome instanceof Ticket)) this.metrics.refused(schema, outcome);
    else if (outcome.startedAt !== undefined) schema.dispatched.inc();
    return { schema, outcome };
  }

  /**
   * Resolves when a waiting ticket has its seats, or when it leaves its queue because the time is over or the request is
   * aborted.
   */
  wait(
    schema: FlowSchema,
    ticket: Ticket,
    milliseconds: number,
    signal: AbortSignal,
  ): Promise<'started' | 'timed out' | 'cancelled'> {
    const { clock } = this.#options;
    const { promise, resolve } = Promise.withResolvers<'started' | 'timed out' | 'cancelled'>();
    const leave = (why: 'timed out' | 'cancelled') => {
      // It may have got its seats in this turn.
      if (ticket.startedAt !== undefined) return;
      this.finish(schema, ticket, why);
      resolve(why);
    };
    const cancel = () => leave('cancelled');
    const timer = clock.setTimeout(() => leave('timed out'), milliseconds);
    ticket.onStart = () => resolve('started');
    if (signal.aborted) cancel();
    else signal.addEventListener('abort', cancel, { once: true });
    return promise.then((why) => {
      timer.cancel();
      signal.removeEventListener('abort', cancel);
      this.metrics.waited(schema, clock.monotonic() - ticket.arrivedAt, why === 'started');
      if (why === 'started') schema.dispatched.inc();
      else this.metrics.refused(schema, 'time-out');
      return why;
    });
  }

  /** Records that a request is refused. Returns the error for the seconds after which it should be sent again. */
  refuse(schema: FlowSchema, error: (retryAfterSeconds: number) => Error): Error {
    const { retryAfter } = schema.level;
    retryAfter.record(this.#options.clock.monotonic());
    return error(retryAfter.seconds);
  }

  #catchAll(): FlowSchema {
    return this.#schemas.find(({ name }) => name === 'catch-all')!;
  }

  /** Ends the use of the seats of a ticket, or its wait. */
  finish({ level }: FlowSchema, ticket: Ticket, why?: 'served' | 'timed out' | 'cancelled'): void {
    level.queues.finish(ticket, why);
    if (level.isQuiescing && level.queues.isIdle) this.#levels.delete(level.name);
  }
}

/** Divides the seats that exempt levels leave: what each level used lately, at most its nominal seats, and then by demand. */
function seatsOfLimited(levels: readonly PriorityLevel[], left: number, total: number): number[] {
  const recent = levels.map(({ least, nominal, queues }) =>
    Math.max(least, Math.min(nominal, queues.demand.highest)),
  );
  const leastSum = levels.reduce((sum, { least }) => sum + least, 0);
  const recentSum = recent.reduce((sum, seats) => sum + seats, 0);
  if (left <= leastSum) return levels.map(({ least }) => least);
  if (left <= recentSum) {
    const share = (left - leastSum) / (recentSum - leastSum);
    return levels.map(({ least }, i) => least + Math.round((recent[i]! - least) * share));
  }
  const claims = levels.map(({ most, queues }, i) => ({
    lowerBound: recent[i]!,
    upperBound: Math.max(most, recent[i]!),
    target: Math.max(recent[i]!, queues.demand.smoothed),
  }));
  return divideConcurrency(total, claims).map(Math.round);
}

function withMandatory<Spec>(
  objects: readonly Configured<Spec>[],
  mandatory: readonly Omit<Configured<Spec>, 'uid'>[],
): Configured<Spec>[] {
  const names = new Set(objects.map(({ name }) => name));
  const missing = mandatory.filter(({ name }) => !names.has(name)).map((object) => ({ ...object, uid: '' }));
  return [...objects, ...missing];
}

const byPrecedence = (a: Configured<FlowSchemaSpec>, b: Configured<FlowSchemaSpec>): number =>
  a.spec.matchingPrecedence - b.spec.matchingPrecedence || (a.name < b.name ? -1 : 1);

function compileSchema(
  { name, uid, spec }: Configured<FlowSchemaSpec>,
  level: PriorityLevel,
  metrics: FlowControlMetrics,
): FlowSchema {
  const by = spec.distinguisherMethod?.type;
  const distinguisher = ({ user, info }: FlowRequest) =>
    by === 'ByUser' ? user.name : by === 'ByNamespace' ? info.namespace : '';
  return {
    name,
    headers: {
      'X-Kubernetes-Pf-Flowschema-Uid': uid,
      'X-Kubernetes-Pf-Prioritylevel-Uid': level.uid,
    },
    dispatched: metrics.dispatched(name, level),
    level,
    matches: rulesOf(spec),
    distinguisher,
  };
}

/** The compiled rules of specs: a change of one object does not compile the others again. */
const compiledRules = new WeakMap<FlowSchemaSpec, FlowSchema['matches']>();

/** Compiles the rules of schemas in passes, so that {@link FlowControl.configure} does not have to. */
export function* prepareRules(schemas: readonly Configured<FlowSchemaSpec>[]): Passes<void> {
  for (const { spec } of schemas) {
    if (compiledRules.has(spec)) continue;
    compiledRules.set(spec, yield* compileRules(spec.rules ?? []));
    yield;
  }
}

function rulesOf(spec: FlowSchemaSpec): FlowSchema['matches'] {
  let matches = compiledRules.get(spec);
  if (matches === undefined) compiledRules.set(spec, (matches = finish(compileRules(spec.rules ?? []))));
  return matches;
}
