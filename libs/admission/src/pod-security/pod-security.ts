import { type FieldError, fieldErrorText, forbidden, internalError } from '@annex/machinery';
import type { AdmissionPlugin, AdmissionAttributes, ServerDeps } from '@annex/server';
import { namespaceFinder } from '../selectors.ts';
import { defaultPodSecurity, type PodSecurityConfiguration } from './configuration.ts';
import { labelPrefix, levelText, type LevelVersion, policyOf, type PodSecurityPolicy } from './levels.ts';
import { validateNamespace } from './namespaces.ts';
import { type Container, type PodLike, podOf } from './pod.ts';
import { violations, violationsText } from './standards.ts';

/** Subresources of pods without fields that the standards restrict. */
const ignored = new Set(['exec', 'attach', 'binding', 'eviction', 'log', 'portforward', 'proxy', 'status']);

/**
 * kube-apiserver's PodSecurity plugin: enforces the level in the labels of a namespace for pods, and warns of
 * violations in pod templates. Source: "Pod Security Admission" of the Kubernetes documentation.
 */
export function podSecurity(
  deps: ServerDeps,
  configuration: PodSecurityConfiguration = defaultPodSecurity,
): AdmissionPlugin {
  const find = namespaceFinder(deps);
  const list = async (namespace: string) => {
    const cache = deps.feed.objects('/registry/pods/');
    await cache.waitFor(0);
    return cache.list(`/registry/pods/${namespace}/`).entries.map(({ value }) => value.object);
  };
  return {
    name: 'PodSecurity',
    resources: ['/namespaces', ...Object.keys(podOf)],
    async validate(attributes) {
      const { kind, operation, subresource, object, namespace } = attributes;
      if (object === undefined || (operation !== 'CREATE' && operation !== 'UPDATE')) return;
      if (kind.resource === 'namespaces') {
        if (subresource === '') await validateNamespace(attributes, configuration, list);
        return;
      }
      const isPod = kind.resource === 'pods';
      if (isPod ? ignored.has(subresource) : subresource !== '') return;
      const exempt = exemption(attributes, configuration);
      if (exempt !== undefined) return note(attributes, 'exempt', exempt);
      const found = await find(namespace);
      if (found === undefined) {
        if (isPod) throw internalError(`failed to lookup namespace ${JSON.stringify(namespace)}`);
        return;
      }
      const labels = found.metadata.labels ?? {};
      validatePod(attributes, isPod, policyOf(labels, configuration.defaults), configuration);
    },
  };
}

const note = ({ request: { audit } }: AdmissionAttributes, key: string, value: string): void =>
  audit?.annotate(labelPrefix + key, value);

function exemption(
  { namespace, request: { user } }: AdmissionAttributes,
  { exemptions }: PodSecurityConfiguration,
): string | undefined {
  if (exemptions.namespaces.includes(namespace)) return 'namespace';
  return exemptions.usernames.includes(user.name) ? 'user' : undefined;
}

function validatePod(
  attributes: AdmissionAttributes,
  isPod: boolean,
  { policy, errors }: { policy: PodSecurityPolicy; errors: readonly FieldError[] },
  { exemptions }: PodSecurityConfiguration,
): void {
  const allows = ({ level }: LevelVersion) => level === 'privileged';
  if (errors.length === 0 && allows(policy.audit) && allows(policy.warn)) {
    if (isPod && allows(policy.enforce)) return note(attributes, 'enforce-policy', 'privileged:latest');
    if (!isPod) return;
  }
  const { kind, object, oldObject, operation } = attributes;
  const podIn = podOf[`${kind.group}/${kind.resource}`];
  const pod = object && podIn?.(object);
  if (pod === undefined) return;
  const before = oldObject && podIn?.(oldObject);
  if (isPod && operation === 'UPDATE' && before && !isSignificant(pod, before)) return;
  if (exemptions.runtimeClasses.includes(pod.spec.runtimeClassName ?? '')) {
    return note(attributes, 'exempt', 'runtimeClass');
  }
  if (errors.length > 0) note(attributes, 'error', `Failed to parse policy: ${errorsText(errors)}`);
  evaluate(attributes, isPod, policy, pod);
}

function errorsText(errors: readonly FieldError[]): string {
  const texts = [...new Set(errors.map(fieldErrorText))];
  return texts.length === 1 ? (texts[0] ?? '') : `[${texts.join(', ')}]`;
}

/** Refuses only pods. Objects with a pod template only cause warnings and audit annotations. */
function evaluate(
  attributes: AdmissionAttributes,
  isPod: boolean,
  policy: PodSecurityPolicy,
  pod: PodLike,
): void {
  const found = (level: LevelVersion, verb: string): string | undefined => {
    const all = violations(level, pod);
    if (all.length === 0) return undefined;
    return `${verb} PodSecurity "${levelText(level)}": ${violationsText(all)}`;
  };
  if (isPod) note(attributes, 'enforce-policy', levelText(policy.enforce));
  const audited = found(policy.audit, 'would violate');
  if (audited !== undefined) note(attributes, 'audit-violations', audited);
  const refused = isPod ? found(policy.enforce, 'violates') : undefined;
  if (refused !== undefined) throw forbidden(attributes.kind, attributes.name, refused);
  const warned = found(policy.warn, 'would violate');
  if (warned !== undefined) attributes.request.warnings.push(warned);
}

/** Returns whether an update of a pod adds a container or changes an image. */
function isSignificant({ spec }: PodLike, { spec: before }: PodLike): boolean {
  const fixed = ['containers', 'initContainers'] as const;
  const changed = (list: readonly Container[], old: readonly Container[]) =>
    list.length !== old.length || list.some(({ image }, i) => image !== old[i]?.image);
  if (fixed.some((field) => changed(spec[field] ?? [], before[field] ?? []))) return true;
  const known = new Map(before.ephemeralContainers?.toReversed().map((other) => [other.name, other]));
  return (spec.ephemeralContainers ?? []).some(({ name, image }) => {
    const old = known.get(name);
    return old === undefined || old.image !== image;
  });
}
