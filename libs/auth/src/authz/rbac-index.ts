import { DividedVisit, finishInSlices, type Passes } from '@annex/machinery';
import { ownTurn } from '@annex/runtime';
import type { CacheEvent, StoredObject, WatchCache } from '@annex/storage';
import { BindingIndex, type IndexedBinding } from './rbac-bindings.ts';
import { CompiledRule } from './rbac-rule.ts';
import { type RbacBinding, type RbacRole, rbacPrefixes, type RoleRef } from './rbac-types.ts';
import type { UserInfo } from '../types.ts';

/** The source of RBAC objects; a `Feed` is one. */
export interface RbacSource {
  objects(prefix: string): WatchCache<StoredObject>;
}

/** Receives a rule that applies to a user, with its binding. Returns false to stop. */
export type RuleVisitor = (rule: CompiledRule, binding: IndexedBinding) => boolean;

const none: readonly CompiledRule[] = [];

/** The rules of roles from this size on are compiled before a request needs them: those of 1 MB take more than 10 ms. */
const largeRoleBytes = 64 * 1024;
const compiledAtOnce = 500;

/** Indexes bindings by subject and compiles the rules of roles; each event updates it. */
export class RbacIndex {
  readonly #roles: WatchCache<StoredObject>;
  readonly #clusterRoles: WatchCache<StoredObject>;
  readonly #roleBindings: WatchCache<StoredObject>;
  readonly #clusterRoleBindings: WatchCache<StoredObject>;
  readonly #compiled = new WeakMap<StoredObject, readonly CompiledRule[]>();
  #cluster = new BindingIndex();
  #namespaces = new Map<string, BindingIndex>();
  #unsubscribe: (() => void)[] = [];
  #loading: Promise<void> | undefined;
  #ready = false;

  constructor(source: RbacSource) {
    this.#roles = source.objects(rbacPrefixes.roles);
    this.#clusterRoles = source.objects(rbacPrefixes.clusterRoles);
    this.#roleBindings = source.objects(rbacPrefixes.roleBindings);
    this.#clusterRoleBindings = source.objects(rbacPrefixes.clusterRoleBindings);
  }

  /** True if requests can be authorized without waiting. */
  get ready(): boolean {
    return this.#ready;
  }

  /** True if the index is known to contain everything in the store. */
  isCurrent(): boolean {
    return this.#ready && this.#clusterRoleBindings.isCurrent();
  }

  /** Resolves when the index contains everything that was in the store at the time of the call. */
  async upToDate(): Promise<void> {
    if (!this.#ready) await this.load();
    else await this.#clusterRoleBindings.waitFor();
  }

  load(): Promise<void> {
    this.#loading ??= this.#load().finally(() => (this.#loading = undefined));
    return this.#loading;
  }

  /**
   * Visits the rules of a user: cluster-wide ones, then those of a namespace. Returns the roleRefs without a
   * role.
   */
  visitRules(user: UserInfo, namespace: string, visit: RuleVisitor): RoleRef[] {
    const dangling: RoleRef[] = [];
    const seen = new Set<IndexedBinding>();
    const visitBinding = (indexed: IndexedBinding): boolean => {
      if (seen.has(indexed)) return true;
      seen.add(indexed);
      const rules = this.rulesOf(indexed.binding.roleRef, indexed.namespace, dangling);
      return rules.every((rule) => visit(rule, indexed));
    };
    if (this.#cluster.visit(user, visitBinding) && namespace !== '') {
      this.#namespaces.get(namespace)?.visit(user, visitBinding);
    }
    return dangling;
  }

  /** The same in passes, for the bindings that there are when it begins. */
  *visitRulesInPasses(user: UserInfo, namespace: string, visit: RuleVisitor): Passes<RoleRef[]> {
    const dangling: RoleRef[] = [];
    const bindings = bindingsOf(user, this.#cluster);
    if (namespace !== '') bindingsOf(user, this.#namespaces.get(namespace), bindings);
    yield* this.#visitEach(bindings, dangling, visit, new DividedVisit());
    return dangling;
  }

  /** Visits the rules that a user has in every namespace except `but`, in passes. */
  *visitOtherNamespaces(user: UserInfo, but: string, visit: RuleVisitor): Passes<void> {
    const pass = new DividedVisit();
    for (const [namespace, index] of this.#namespaces) {
      if (namespace === but) continue;
      if (pass.exceeds()) yield* pass.next();
      pass.count(user.groups.length);
      if (!(yield* this.#visitEach(bindingsOf(user, index), [], visit, pass))) return;
    }
  }

  /** Returns false if `visit` does. */
  *#visitEach(
    bindings: ReadonlySet<IndexedBinding>,
    dangling: RoleRef[],
    visit: RuleVisitor,
    pass: DividedVisit,
  ): Passes<boolean> {
    for (const indexed of bindings) {
      if (pass.exceeds()) yield* pass.next();
      for (const rule of this.rulesOf(indexed.binding.roleRef, indexed.namespace, dangling)) {
        if (pass.exceeds()) yield* pass.next();
        if (!visit(rule, indexed)) return false;
      }
    }
    return true;
  }

  /**
   * Returns the rules of the role that a binding refers to; adds the roleRef to `dangling` if there is no
   * such role.
   */
  rulesOf(roleRef: RoleRef, namespace: string, dangling: RoleRef[]): readonly CompiledRule[] {
    const entry = this.#find(roleRef, namespace);
    if (entry === undefined) {
      dangling.push(roleRef);
      return none;
    }
    return this.#compile(entry.value);
  }

  #find({ kind, name }: RoleRef, namespace: string) {
    if (kind === 'Role') return this.#roles.get(`${rbacPrefixes.roles}${namespace}/${name}`);
    if (kind === 'ClusterRole') return this.#clusterRoles.get(`${rbacPrefixes.clusterRoles}${name}`);
    return undefined;
  }

  #compile(stored: StoredObject): readonly CompiledRule[] {
    let rules = this.#compiled.get(stored);
    if (rules === undefined) {
      rules = ((stored.object as RbacRole).rules ?? []).map((rule) => new CompiledRule(rule));
      this.#compiled.set(stored, rules);
    }
    return rules;
  }

  /** Compiles the rules of a large role in slices. A request that needs them before compiles all. */
  async #compileAhead(stored: StoredObject): Promise<void> {
    if (stored.size < largeRoleBytes || this.#compiled.has(stored)) return;
    const decoding = stored.decodeInPasses();
    // Otherwise, it is decoded at once, which has a turn of its own.
    await (decoding === undefined ? ownTurn() : finishInSlices(decoding, ownTurn));
    const rules = (stored.object as RbacRole).rules ?? [];
    const compiled: CompiledRule[] = [];
    for (let i = 0; i < rules.length; i += compiledAtOnce) {
      await ownTurn();
      for (const rule of rules.slice(i, i + compiledAtOnce)) compiled.push(new CompiledRule(rule));
    }
    this.#compiled.set(stored, compiled);
  }

  async #load(): Promise<void> {
    const caches = [this.#roles, this.#clusterRoles, this.#roleBindings, this.#clusterRoleBindings];
    await Promise.all(caches.map((cache) => cache.waitFor()));
    for (const end of this.#unsubscribe.splice(0)) end();
    this.#cluster = new BindingIndex();
    this.#namespaces = new Map();
    this.#follow(this.#clusterRoleBindings, rbacPrefixes.clusterRoleBindings);
    this.#follow(this.#roleBindings, rbacPrefixes.roleBindings);
    this.#compileLater(this.#clusterRoles, rbacPrefixes.clusterRoles);
    this.#compileLater(this.#roles, rbacPrefixes.roles);
    this.#ready = true;
  }

  #compileLater(cache: WatchCache<StoredObject>, prefix: string): void {
    const compile = async (roles: readonly StoredObject[]): Promise<void> => {
      // A damaged role fails the requests that need it.
      for (const role of roles) await this.#compileAhead(role).catch(() => undefined);
    };
    const { entries, revision } = cache.list(prefix);
    void compile(entries.map(({ value }) => value));
    const onEvent = ({ type, value }: CacheEvent<StoredObject>) => {
      if (type !== 'deleted') void compile([value]);
    };
    this.#unsubscribe.push(cache.subscribe(prefix, revision, { readsObjects: true, onEvent }));
  }

  #follow(cache: WatchCache<StoredObject>, prefix: string): void {
    const { entries, revision } = cache.list(prefix);
    for (const entry of entries) this.#put(prefix, entry.key, entry.value);
    const onEvent = ({ type, key, value }: CacheEvent<StoredObject>) => {
      if (type === 'deleted') this.#remove(prefix, key);
      else this.#put(prefix, key, value);
    };
    // History was lost: the index is not ready until it reads the lists again.
    const onError = () => (this.#ready = false);
    this.#unsubscribe.push(cache.subscribe(prefix, revision, { readsObjects: true, onEvent, onError }));
  }

  #put(prefix: string, key: string, { object }: StoredObject): void {
    const namespace = namespaceOf(prefix, key);
    this.#indexOf(namespace).set(key, object as RbacBinding, namespace);
  }

  #remove(prefix: string, key: string): void {
    const namespace = namespaceOf(prefix, key);
    const index = this.#indexOf(namespace);
    index.delete(key);
    if (namespace !== '' && index.size === 0) this.#namespaces.delete(namespace);
  }

  #indexOf(namespace: string): BindingIndex {
    if (namespace === '') return this.#cluster;
    let index = this.#namespaces.get(namespace);
    if (index === undefined) this.#namespaces.set(namespace, (index = new BindingIndex()));
    return index;
  }
}

/** Adds the bindings that name a user to a set. */
function bindingsOf(
  user: UserInfo,
  index: BindingIndex | undefined,
  bindings = new Set<IndexedBinding>(),
): Set<IndexedBinding> {
  index?.visit(user, (indexed) => bindings.add(indexed) === bindings);
  return bindings;
}

function namespaceOf(prefix: string, key: string): string {
  const slash = key.indexOf('/', prefix.length);
  return slash < 0 ? '' : key.slice(prefix.length, slash);
}
