import { containersOf, type SecurityContext } from '../pod.ts';
import { type CheckPod, plural, quoted, setters, sortedSet } from './check.ts';

/** The allowed types since 1.0 and since 1.31. */
export const seLinuxTypes = ['', 'container_t', 'container_init_t', 'container_kvm_t'];
export const seLinuxTypesWithEngine = [...seLinuxTypes, 'container_engine_t'];

export const seLinuxOptions =
  (allowed: readonly string[]): CheckPod =>
  ({ spec }) => {
    const typeOf = (context: SecurityContext | undefined) => context?.seLinuxOptions?.type ?? '';
    const isInvalid = (context: SecurityContext | undefined) => {
      const { user, role } = context?.seLinuxOptions ?? {};
      return !allowed.includes(typeOf(context)) || Boolean(user) || Boolean(role);
    };
    const containers = containersOf(spec);
    const contexts = [spec.securityContext, ...containers.map(({ securityContext }) => securityContext)];
    const setBy = setters(
      isInvalid(spec.securityContext),
      containers.filter(({ securityContext }) => isInvalid(securityContext)).map(({ name }) => name),
    );
    if (setBy.length === 0) return undefined;
    const types = sortedSet(contexts.map(typeOf).filter((type) => !allowed.includes(type)));
    const sets = (field: 'user' | 'role') => contexts.some((context) => context?.seLinuxOptions?.[field]);
    const what = [
      ...(types.length > 0 ? [`${plural('type', types.length)} ${quoted(types)}`] : []),
      ...(['user', 'role'] as const).filter(sets).map((field) => `${field} may not be set`),
    ];
    return {
      reason: 'seLinuxOptions',
      detail: `${setBy.join(' and ')} set forbidden securityContext.seLinuxOptions: ${what.join('; ')}`,
    };
  };
