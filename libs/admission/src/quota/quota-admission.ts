import { conflict, groupVersion, objectModified } from '@annex/machinery';
import { keepManagedFieldsTimes, trackUpdate } from '@annex/schema';
import {
  type AdmissionPlugin,
  type AdmissionAttributes,
  type Current,
  type ServerDeps,
  StoredObjects,
} from '@annex/server';
import { builtinKinds } from '@annex/kinds';
import { refuse } from '../plugins/refuse.ts';
import { charge, QuotaRefusal } from './charge.ts';
import type { MeasuredWrite, QuotaEvaluator } from './evaluator.ts';
import { quotaEvaluator } from './evaluators.ts';
import { type QuotaState, quotaState, type ResourceQuota } from './quota-state.ts';
import { asAmounts, sameAmounts } from './resource-list.ts';

const prefix = '/registry/resourcequotas/';
const quotas = { group: '', resource: 'resourcequotas' };
/** The maximum attempts to charge quotas after concurrent changes. */
const attempts = 4;

interface Waiting {
  attributes: AdmissionAttributes;
  write: MeasuredWrite;
  evaluator: QuotaEvaluator;
  settle: PromiseWithResolvers<void>;
}

interface Charged {
  current: Current;
  before: QuotaState;
  after: QuotaState;
}

/**
 * kube-apiserver's ResourceQuota admission plugin: charges writes to the quotas of their namespace, and
 * refuses writes that exceed a quota. It must be the last plugin, because a refusal by a later plugin would
 * not undo the charge. Source: "ResourceQuota" of the admission controllers documentation.
 */
export function resourceQuotaAdmission(deps: ServerDeps): AdmissionPlugin {
  const ledger = new QuotaLedger(deps);
  return {
    name: 'ResourceQuota',
    validate(attributes) {
      const { kind, namespace, object, oldObject, operation, subresource } = attributes;
      if (namespace === '' || !kind.namespaced || kind.storage === undefined || object === undefined) return;
      if (operation !== 'CREATE' && operation !== 'UPDATE') return;
      const evaluator = quotaEvaluator(kind.group, kind.resource);
      const write = { operation, subresource, object, ...(oldObject ? { oldObject } : {}) };
      return evaluator?.handles(write) ? ledger.charge({ attributes, write, evaluator }) : undefined;
    },
  };
}

/** Charges writes to the quotas of a namespace in consecutive batches, so that a batch costs one write. */
class QuotaLedger {
  readonly #deps: ServerDeps;
  readonly #waiting = new Map<string, Waiting[]>();
  readonly #busy = new Set<string>();
  #stored: StoredObjects | undefined;

  constructor(deps: ServerDeps) {
    this.#deps = deps;
  }

  async charge(requested: Omit<Waiting, 'settle'>): Promise<void> {
    const { namespace } = requested.attributes;
    const cache = this.#deps.feed.objects(prefix);
    if (cache.revision === 0) await cache.waitFor();
    // The namespace was just looked up, so the feed is new enough for its quotas.
    if (cache.list(`${prefix}${namespace}/`).entries.length === 0) return;
    const settle = Promise.withResolvers<void>();
    const waiting = this.#waiting.get(namespace) ?? [];
    this.#waiting.set(namespace, [...waiting, { ...requested, settle }]);
    if (!this.#busy.has(namespace)) void this.#work(namespace);
    await settle.promise;
  }

  async #work(namespace: string): Promise<void> {
    this.#busy.add(namespace);
    for (;;) {
      const batch = this.#waiting.get(namespace);
      if (batch === undefined) break;
      this.#waiting.delete(namespace);
      await this.#chargeAll(namespace, batch).catch((error: unknown) => {
        for (const { settle } of batch) settle.reject(error);
      });
    }
    this.#busy.delete(namespace);
  }

  async #chargeAll(namespace: string, batch: readonly Waiting[]): Promise<void> {
    let charged = await this.#read(namespace);
    let open = batch;
    for (let attempt = 1; open.length > 0; attempt++) {
      open = this.#chargeEach(charged, open);
      const failed = new Set<string>();
      for (const one of charged) if (!(await this.#write(one))) failed.add(one.before.name);
      if (failed.size === 0) break;
      const [first = ''] = failed;
      if (attempt === attempts) throw conflict(quotas, first, objectModified);
      charged = (await this.#read(namespace)).filter(({ before }) => failed.has(before.name));
    }
    for (const { settle } of open) settle.resolve();
  }

  /** Charges the writes one after the other. Returns those that wait until the quotas are written. */
  #chargeEach(charged: Charged[], batch: readonly Waiting[]): Waiting[] {
    return batch.filter(({ attributes, write, evaluator, settle }) => {
      const states = charged.map(({ after }) => after);
      try {
        const next = charge(states, write, evaluator, this.#deps.clock.now());
        const unchanged = next.every((state, i) => state === states[i]);
        if (attributes.dryRun || unchanged) {
          settle.resolve();
          return false;
        }
        for (const [i, one] of charged.entries()) one.after = next[i] ?? one.after;
        return true;
      } catch (error) {
        settle.reject(error instanceof QuotaRefusal ? refused(attributes, error) : error);
        return false;
      }
    });
  }

  async #read(namespace: string): Promise<Charged[]> {
    const objects = this.#objects;
    await objects.cache.waitFor();
    return objects.cache.list(objects.prefixOf(namespace)).entries.map(({ value }) => {
      const state = quotaState(value.object);
      return { current: { stored: value, object: value.object }, before: state, after: state };
    });
  }

  /** Returns false after a concurrent change of the quota. */
  async #write({ current, before, after }: Charged): Promise<boolean> {
    if (sameAmounts(before.used, after.used)) return true;
    const quota: ResourceQuota = current.object;
    const { kind } = this.#objects;
    const object = trackUpdate({
      live: quota,
      updated: { ...quota, status: { ...quota.status, used: asAmounts(after.used) } },
      schema: kind.schema.root,
      apiVersion: groupVersion(kind),
      typed: true,
      manager: 'kube-apiserver',
      subresource: 'status',
      now: this.#deps.clock.now(),
    });
    keepManagedFieldsTimes(object, quota);
    return (await this.#objects.update(current, object)) !== undefined;
  }

  get #objects(): StoredObjects {
    return (this.#stored ??= new StoredObjects(this.#deps, quotaKind()));
  }
}

function quotaKind() {
  const kind = builtinKinds((group) => group === '').find(({ resource }) => resource === 'resourcequotas');
  if (kind === undefined) throw new Error('the kind ResourceQuota is not recorded');
  return kind;
}

const refused = (attributes: AdmissionAttributes, { message }: QuotaRefusal) => refuse(attributes, message);
