import type { JsonObject } from '@annex/machinery';
import type { ServerDeps } from '@annex/server';
import { validatePodSpec } from '../../shared/pod-spec/validation.ts';
import { podWarnings } from '../../shared/pod-spec/warnings.ts';
import { inSpec } from '../../shared/checks.ts';
import { dnsLabelName, onCreate, root } from '../../shared/warnings.ts';
import type { BuiltinKind } from '../../builtin-kind.ts';
import { attachOptions, execOptions, portForwardOptions } from '../shared/connect-options.ts';
import { proxied } from '../shared/proxy.ts';
import { bind } from './binding.ts';
import { podColumns } from './columns.ts';
import { podConnection, podLog } from './connections.ts';
import { podDefaults } from './defaults.ts';
import { evict } from './eviction.ts';
import { checkPodAddress } from './proxy-target.ts';
import { podRowConditions } from './row-conditions.ts';
import { podSelectors } from './selectable-fields.ts';
import { writesSpecFields } from './spec-subresources.ts';
import { podStatus } from './status.ts';
import { podStrategy } from './strategy.ts';
import { validateNewPod, validatePodUpdate } from './validation.ts';

/** Pods are stored, listed, bound and evicted; nothing runs them here. */
export const pods = (deps: ServerDeps): BuiltinKind => ({
  group: '',
  resource: 'pods',
  defaults: podDefaults,
  validation: { object: inSpec(validatePodSpec), create: validateNewPod, update: validatePodUpdate },
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
    binding: { create: (binding, pod, request) => bind(deps, binding, pod, request) },
    eviction: { create: (eviction, pod, request) => evict(deps, eviction, pod, request) },
    ephemeralcontainers: writesSpecFields('ephemeralContainers'),
    resize: writesSpecFields('containers', 'initContainers'),
    attach: podConnection(deps, 'pods/attach', attachOptions),
    exec: podConnection(deps, 'pods/exec', execOptions),
    log: podLog(deps),
    portforward: podConnection(deps, 'pods/portforward', portForwardOptions, false),
    proxy: proxied(deps, 'pod', checkPodAddress),
  },
});
