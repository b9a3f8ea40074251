import { formatTime } from '@annex/machinery';
import { builtinKinds, type KindExtension, type ResourceKind } from '@annex/kinds';
import type { ServerDeps } from '@annex/server';
import { cellsOf } from '../columns/index.ts';
import { selectableBy } from '../selectable-fields.ts';
import { coreDefaults } from '../defaults/core.ts';
import { otherDefaults } from '../defaults/others.ts';
import { workloadDefaults } from '../defaults/workloads.ts';
import {
  type Credentials,
  selfSubjectReviews,
  serviceAccounts,
  tokenReviews,
} from '../strategies/authentication.ts';
import { certificateRequests } from './certificates/certificatesigningrequests/kind.ts';
import { checksOf, withChecks } from './builtin-kind.ts';
import { configMaps } from './core/configmaps/validation.ts';
import { daemonSets } from './apps/daemonsets/strategy.ts';
import { events } from './core/events/kind.ts';
import type { IpRange } from './core/services/ip-range.ts';
import { jobs } from './batch/jobs/strategy.ts';
import { namespaces } from './core/namespaces/kind.ts';
import { checkEndpoints, checkNode } from './core/services/proxy-target.ts';
import { proxied } from './core/pods/connections.ts';
import { bindings, podKind } from './core/pods/strategy.ts';
import { resourceQuotas } from './core/resourcequotas/kind.ts';
import { scale } from './shared/scale.ts';
import { secrets } from './core/secrets/validation.ts';
import { services } from './core/services/strategy.ts';
import { warningsOf } from '../warnings/index.ts';
import type { Warnings } from './shared/warnings.ts';

/** What the hooks of the kinds depend on. */
export interface CoreKindsConfig extends Credentials {
  serviceClusterIpRange: IpRange;
  /** After how many seconds events are forgotten; an hour where not said. */
  eventTtlSeconds?: number;
}

/** Groups that other apps serve. */
const elsewhere = new Set([
  'apiextensions.k8s.io',
  'apiregistration.k8s.io',
  'authorization.k8s.io',
  'rbac.authorization.k8s.io',
]);

/** True for the groups that this app serves. */
export const isCoreApiGroup = (group: string): boolean => !elsewhere.has(group);

const defaultsOf = (group: string) =>
  group === '' ? coreDefaults : group === 'apps' || group === 'batch' ? workloadDefaults : otherDefaults;

const hour = 3600;
const scalable: KindExtension = { subresources: { scale } };

const hooks = (deps: ServerDeps, config: CoreKindsConfig): Readonly<Record<string, KindExtension>> => ({
  '/bindings': bindings(deps),
  '/componentstatuses': { deprecationWarning: 'v1 ComponentStatus is deprecated in v1.19+' },
  '/configmaps': configMaps,
  '/endpoints': {
    deprecationWarning: 'v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice',
  },
  '/events': events('', config.eventTtlSeconds ?? hour),
  '/namespaces': namespaces(deps),
  '/nodes': {
    subresources: { proxy: proxied(deps, 'node', checkNode) },
  },
  '/persistentvolumes': {
    strategy: {
      prepareForCreate(volume) {
        volume.status = { phase: 'Pending', lastPhaseTransitionTime: formatTime(deps.clock.now()) };
      },
    },
  },
  '/pods': podKind(deps),
  '/replicationcontrollers': scalable,
  '/resourcequotas': resourceQuotas,
  '/secrets': secrets,
  '/serviceaccounts': serviceAccounts(deps, config),
  '/services': {
    ...services(deps, config.serviceClusterIpRange),
    subresources: { proxy: proxied(deps, 'service', checkEndpoints) },
  },
  'apps/daemonsets': daemonSets,
  'apps/deployments': scalable,
  'apps/replicasets': scalable,
  'apps/statefulsets': scalable,
  'batch/jobs': jobs,
  'certificates.k8s.io/certificatesigningrequests': certificateRequests(deps),
  'authentication.k8s.io/selfsubjectreviews': selfSubjectReviews(deps),
  'authentication.k8s.io/tokenreviews': tokenReviews(config),
  'events.k8s.io/events': events('events.k8s.io', config.eventTtlSeconds ?? hour),
});

/** Every built-in kind of this app with its defaults, hooks and table cells. */
export function coreKinds(deps: ServerDeps, config: CoreKindsConfig): ResourceKind[] {
  const added = hooks(deps, config);
  return builtinKinds(isCoreApiGroup, (group, resource): KindExtension =>
    withWarnings(
      withChecks(
        {
          defaults: defaultsOf(group),
          cells: cellsOf(group, resource),
          ...selectableBy(group, resource),
          ...added[`${group}/${resource}`],
        },
        checksOf(group, resource),
      ),
      warningsOf(group, resource),
    ),
  );
}

/** An extension that also warns. */
const withWarnings = (extension: KindExtension, warnings: Warnings | undefined): KindExtension =>
  warnings === undefined ? extension : { ...extension, strategy: { ...extension.strategy, warnings } };
