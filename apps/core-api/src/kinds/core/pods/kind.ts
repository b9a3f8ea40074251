import type { JsonObject, KubeObject } from '@annex/machinery';
import type { ServerDeps } from '@annex/server';
import { podWarnings } from '../../shared/pod-spec/warnings.ts';
import { dnsLabelName, onCreate, root } from '../../shared/warnings.ts';
import type { BuiltinKind } from '../../builtin-kind.ts';
import { attachOptions, execOptions, portForwardOptions } from '../shared/connect-options.ts';
import { proxied } from '../shared/proxy.ts';
import { bind, checkBinding } from './binding.ts';
import { podColumns } from './columns.ts';
import { podConnection, podLog } from './connections.ts';
import { podDefaults } from './defaults.ts';
import { checkEviction, evict } from './eviction.ts';
import { checkPodAddress } from './proxy-target.ts';
import { podRowConditions } from './row-conditions.ts';
import { podSelectors } from './selectable-fields.ts';
import { ephemeralContainers, resize } from './spec-subresources.ts';
import { podStatus } from './status.ts';
import { podStrategy } from './strategy.ts';
import { validatePodUpdate } from './update.ts';
import { validateNewPod, validatePod } from './validation.ts';

/** Pods are stored, listed, bound and evicted; nothing runs them here. */
export const pods = (deps: ServerDeps): BuiltinKind => ({
  group: '',
  resource: 'pods',
  defaults: podDefaults,
  validation: {
    object: (pod) => validatePod(pod as KubeObject),
    create: validateNewPod,
    update: validatePodUpdate,
  },
  strategy: podStrategy(deps),
  warnings: onCreate((pod) => [
    ...dnsLabelName("the Pod's hostname")(pod),
    ...podWarnings(pod as unknown as JsonObject, root),
  ]),
  cells: podColumns,
  rowConditions: podRowConditions,
  selectableFields: podSelectors,
  subresources: {
    status: podStatus,
    binding: {
      checkSent: checkBinding,
      create: (binding, pod, request) => bind(deps, binding, pod, request),
    },
    eviction: {
      checkSent: checkEviction,
      create: (eviction, pod, request) => evict(deps, eviction, pod, request),
    },
    ephemeralcontainers: ephemeralContainers,
    resize,
    attach: podConnection(deps, 'pods/attach', attachOptions),
    exec: podConnection(deps, 'pods/exec', execOptions),
    log: podLog(deps),
    portforward: podConnection(deps, 'pods/portforward', portForwardOptions, false),
    proxy: proxied(deps, 'pod', checkPodAddress),
  },
});
