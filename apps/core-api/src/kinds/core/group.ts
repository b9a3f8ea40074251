import type { ServerDeps } from '@annex/server';
import { bindings } from './bindings/kind.ts';
import { componentStatuses } from './componentstatuses/kind.ts';
import { configMaps } from './configmaps/kind.ts';
import { endpoints } from './endpoints/kind.ts';
import { events } from './events/kind.ts';
import { limitRanges } from './limitranges/kind.ts';
import { namespaces } from './namespaces/kind.ts';
import { nodes } from './nodes/kind.ts';
import { persistentVolumeClaims } from './persistentvolumeclaims/kind.ts';
import { persistentVolumes } from './persistentvolumes/kind.ts';
import { pods } from './pods/kind.ts';
import { podTemplates } from './podtemplates/kind.ts';
import { replicationControllers } from './replicationcontrollers/kind.ts';
import { resourceQuotas } from './resourcequotas/kind.ts';
import { secrets } from './secrets/kind.ts';
import { serviceAccounts } from './serviceaccounts/kind.ts';
import { services } from './services/kind.ts';
import type { BuiltinKind } from '../builtin-kind.ts';
import type { CoreKindsConfig } from '../config.ts';

/** The kinds of the core group. */
export const coreGroup = (deps: ServerDeps, config: CoreKindsConfig): readonly BuiltinKind[] => [
  bindings(deps),
  componentStatuses,
  configMaps,
  endpoints,
  events(config.eventTtlSeconds),
  limitRanges,
  namespaces(deps),
  nodes(deps),
  persistentVolumeClaims,
  persistentVolumes(deps),
  pods(deps),
  podTemplates,
  replicationControllers,
  resourceQuotas,
  secrets,
  serviceAccounts(deps, config),
  services(deps, config.serviceClusterIpRange),
];
