import { restore } from '@annex/kinds';
import { formatTime, isObject, type JsonObject, type KubeObject, nameIsPathSegment } from '@annex/machinery';
import type { ServerDeps } from '@annex/server';
import { childOf, objectsOf } from '../../shared/checks.ts';
import type { BuiltinKind } from '../../builtin-kind.ts';
import { approvalErrors, signatureErrors } from './validation.ts';

const decisions = ['Approved', 'Denied'];
const conditionsOf = (request: KubeObject): readonly JsonObject[] =>
  objectsOf(childOf(request, 'status').conditions);

/** Sets missing times of conditions: the transition time is kept while the status does not change. */
function timed(conditions: readonly JsonObject[], old: readonly JsonObject[], now: string): JsonObject[] {
  const since = ({ type, status }: JsonObject) =>
    old.find((one) => one.type === type && one.status === status && one.lastTransitionTime)
      ?.lastTransitionTime;
  return conditions.map((condition) => ({
    ...condition,
    lastUpdateTime: condition.lastUpdateTime ?? now,
    lastTransitionTime: condition.lastTransitionTime ?? since(condition) ?? now,
  }));
}

/** Restores the old decisions if their number is unchanged. */
function withDecisions(conditions: readonly JsonObject[], old: readonly JsonObject[]): JsonObject[] {
  const kept = [...conditions];
  for (const type of decisions) {
    const before = old.filter((one) => one.type === type);
    const places = kept.flatMap((one, index) => (one.type === type ? [index] : []));
    if (before.length !== places.length) continue;
    places.forEach((place, index) => Object.assign(kept, { [place]: before[index] }));
  }
  return kept;
}

/** The spec of a request contains the requester, and is immutable. */
export const requestStrategy: BuiltinKind['strategy'] = {
  allowUnconditionalUpdate: true,
  validateName: nameIsPathSegment,
  resetFields: [['spec'], ['status']],
  prepareForCreate(request, { user }) {
    const { uid: _uid, extra: _extra, ...spec } = childOf(request, 'spec');
    request.spec = {
      ...spec,
      username: user.name,
      groups: [...user.groups],
      ...(user.uid ? { uid: user.uid } : {}),
      ...(Object.keys(user.extra).length > 0 ? { extra: structuredClone(user.extra) } : {}),
    };
  },
  prepareForUpdate(request, old) {
    restore(request, old, 'spec');
  },
};

/** `status` writes everything except the decisions, `approval` only the decisions. */
export function requestSubresources({ clock }: ServerDeps): BuiltinKind['subresources'] {
  const now = () => formatTime(clock.now());
  return {
    status: {
      metaChecks: { asUpdate: 1, asWhole: 1, standardFinalizers: true },
      resetFields: [['spec'], ['status', 'conditions']],
      write(sent, parent): KubeObject {
        const conditions = withDecisions(conditionsOf(sent), conditionsOf(parent));
        const status = withConditions(sent, timed(conditions, conditionsOf(parent), now()));
        return { ...parent, metadata: sent.metadata, status };
      },
      validate: signatureErrors,
    },
    approval: {
      resetFields: [['spec'], ['status', 'certificate']],
      write(sent, parent): KubeObject {
        const status = withConditions(parent, timed(conditionsOf(sent), conditionsOf(parent), now()));
        return { ...parent, metadata: sent.metadata, status };
      },
      validate: approvalErrors,
    },
  };
}

/** Replaces the conditions in the status of a request; without the list if it is empty. */
function withConditions({ status }: KubeObject, conditions: JsonObject[]): JsonObject {
  const { conditions: _, ...rest } = isObject(status) ? status : {};
  return conditions.length === 0 ? rest : { ...rest, conditions };
}
