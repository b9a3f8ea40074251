import type { Metrics } from '@annex/runtime';
import type { RequestContext, ResourceKind } from '@annex/kinds';

type MeasuredKind = Pick<ResourceKind, 'group' | 'version' | 'resource'> &
  Partial<Pick<ResourceKind, 'subresources'>>;

/** The metrics of the requests of one kind and verb. */
interface Measurements {
  /** Counts a response; `seconds` is absent for streams. */
  responded(code: number, seconds: number | undefined): void;
}

// kube-apiserver's metrics have the HTTP names of the verbs.
const measuredVerbs: Readonly<Record<string, string>> = {
  get: 'GET',
  list: 'LIST',
  watch: 'WATCH',
  create: 'POST',
  update: 'PUT',
  patch: 'PATCH',
  delete: 'DELETE',
  deletecollection: 'DELETECOLLECTION',
  post: 'POST',
  put: 'PUT',
};

const labelNames = ['verb', 'group', 'version', 'resource', 'subresource'] as const;
const buckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const noKind: MeasuredKind = { group: '', version: '', resource: '' };

/**
 * Counts requests by kind and verb. The time series of a kind are looked up once, and kept while the kind is
 * served.
 */
export function requestMeasurements(metrics: Metrics): (request: RequestContext) => Measurements {
  const count = metrics.counter('apiserver_request_total', 'Requests by verb, resource and code.', [
    ...labelNames,
    'code',
  ]);
  const duration = metrics.histogram(
    'apiserver_request_duration_seconds',
    'Duration of requests in seconds, without watches.',
    labelNames,
    buckets,
  );
  const byKind = new WeakMap<MeasuredKind, Map<string, Measurements>>();

  const measure = (labels: Record<(typeof labelNames)[number], string>): Measurements => {
    const durations = duration.with(labels);
    const counts = new Map<number, { inc(): void }>();
    return {
      responded(code, seconds) {
        let counter = counts.get(code);
        if (counter === undefined) counts.set(code, (counter = count.with({ ...labels, code })));
        counter.inc();
        if (seconds !== undefined) durations.observe(seconds);
      },
    };
  };

  return (request) => {
    const kind: MeasuredKind = request.kind ?? noKind;
    let known = byKind.get(kind);
    if (known === undefined) byKind.set(kind, (known = new Map()));
    const { verb, subresource } = labelValues(request.info, kind);
    const key = subresource === '' ? verb : `${verb} ${subresource}`;
    let measurements = known.get(key);
    if (measurements === undefined) {
      const { group, version, resource } = kind;
      known.set(key, (measurements = measure({ verb, group, version, resource, subresource })));
    }
    return measurements;
  };
}

/** Clients choose paths and methods: only the values that exist here become label values. */
function labelValues(
  { verb, subresource }: RequestContext['info'],
  { subresources = {} }: MeasuredKind,
): { verb: string; subresource: string } {
  return {
    verb: Object.hasOwn(measuredVerbs, verb) ? (measuredVerbs[verb] as string) : 'other',
    subresource: subresource !== '' && Object.hasOwn(subresources, subresource) ? subresource : '',
  };
}
