import { Client, type ClientConfig, inClusterConfig, loadKubeconfig } from '@annex/client';
import { deepEqual, FieldPath, fieldErrorsText, finishInSlices } from '@annex/machinery';
import {
  type Clock,
  createPacer,
  type EgressSelector,
  type LiveText,
  type Logger,
  type Metrics,
} from '@annex/runtime';
import { aggregateText } from '../../aggregate-text.ts';
import { ConfigurationError } from '../../configuration-file.ts';
import { type ConfigurationReloads, configurationReloads } from '../../configuration-reloads.ts';
import type { Authorizer, UserInfo } from '../../types.ts';
import type { RbacAuthorizer, UserRules } from '../rbac-authorizer.ts';
import { alwaysAllowGroups, privilegedGroup, unionAuthorizer } from '../union-authorizer.ts';
import { type AbacAuthorizer, abacAuthorizer } from './abac-authorizer.ts';
import { readAbacPolicies } from './abac-policies.ts';
import {
  type AuthorizationConfiguration,
  type AuthorizerConfiguration,
  type ConnectionInfo,
  decodeAuthorizationConfiguration,
  type WebhookConfiguration,
} from './configuration.ts';
import { compileMatchConditions } from './match-conditions.ts';
import { validateAuthorizationConfiguration } from './validate-configuration.ts';
import { webhookAuthorizer } from './webhook-authorizer.ts';

/** The dependencies of an authorizer chain. */
export interface ChainDeps {
  rbac: RbacAuthorizer;
  clock: Pick<Clock, 'now' | 'monotonic' | 'sleep'>;
  log: Pick<Logger, 'info' | 'error'>;
  metrics: Pick<Metrics, 'counter' | 'gauge'>;
  /** The policy file of the ABAC authorizer. */
  policyFile: string | undefined;
  /** Reaches webhooks. */
  egress?: EgressSelector | undefined;
}

/** The dependencies with the authorizers that are created once, at startup. */
interface LinkDeps extends ChainDeps {
  abac: AbacAuthorizer | undefined;
}

/** Runs authorizers in order, and resolves the rules of a user. */
export interface AuthorizerChain extends Authorizer {
  rulesFor(user: UserInfo, namespace: string): Promise<UserRules>;
}

interface Link {
  type: string;
  authorizer: Authorizer;
  rulesFor(user: UserInfo, namespace: string): Promise<UserRules> | UserRules;
}

/**
 * Creates the chain of a configuration, or of a file that is reloaded when it changes. Rejects with
 * `ConfigurationError`.
 */
export async function authorizerChain(
  from: LiveText | AuthorizationConfiguration,
  chainDeps: ChainDeps,
): Promise<AuthorizerChain> {
  const read = 'authorizers' in from ? from : await readChecked(from.current());
  const deps = { ...chainDeps, abac: await openAbac(read, chainDeps.policyFile) };
  if ('authorizers' in from) return chainOf(await linksOf(from, deps));
  const first = await linksOf(read, deps);
  const reloads = configurationReloads('authorization', deps.metrics, deps.clock);
  reloads.loaded(from.current());
  const followed = new ReloadedChain(first, read, deps, reloads);
  from.onUnreadable?.(() => reloads.failed());
  from.onChange(() => followed.change(from.current()));
  return followed.chain;
}

/** A chain that each changed configuration replaces, one change after another. */
class ReloadedChain {
  readonly chain: AuthorizerChain;
  readonly #deps: LinkDeps;
  readonly #reloads: ConfigurationReloads;
  /** Types other than webhooks cannot be added or removed while a server runs. */
  readonly #required: ReadonlySet<string>;
  #current: AuthorizerChain;
  #read: AuthorizationConfiguration;
  #changes: Promise<void> = Promise.resolve();

  constructor(
    first: readonly Link[],
    read: AuthorizationConfiguration,
    deps: LinkDeps,
    reloads: ConfigurationReloads,
  ) {
    this.#deps = deps;
    this.#reloads = reloads;
    this.#required = new Set(first.map(({ type }) => type).filter((type) => type !== 'Webhook'));
    this.#current = chainOf(first);
    this.#read = read;
    this.chain = {
      name: 'AuthorizationConfiguration',
      authorize: (attributes) => this.#current.authorize(attributes),
      explain: async (attributes) => (await this.#current.explain?.(attributes)) ?? [],
      rulesFor: (user, namespace) => this.#current.rulesFor(user, namespace),
    };
  }

  change(text: string): void {
    this.#changes = this.#changes.then(() => this.#change(text));
  }

  async #change(text: string): Promise<void> {
    try {
      const read = await readChecked(text);
      requireTypes(read, this.#required);
      if (deepEqual(read as never, this.#read as never)) return;
      this.#read = read;
      this.#current = chainOf(await linksOf(read, this.#deps));
    } catch (error) {
      this.#deps.log.error('reloading authorization config', { error });
      this.#reloads.failed();
      return;
    }
    this.#deps.log.info('reloaded authz config');
    this.#reloads.reloaded(text);
  }
}

async function openAbac(
  { authorizers }: AuthorizationConfiguration,
  file = '',
): Promise<AbacAuthorizer | undefined> {
  if (!authorizers.some(({ type }) => type === 'ABAC')) return undefined;
  return abacAuthorizer(await readAbacPolicies(file));
}

function requireTypes({ authorizers }: AuthorizationConfiguration, required: ReadonlySet<string>): void {
  const types = authorizers.map(({ type }) => type);
  const missing = [...required].filter((type) => !types.includes(type));
  if (missing.length > 0) throw new ConfigurationError(`missing required types: [${missing.join(' ')}]`);
  for (const type of types) {
    if ((type === 'RBAC' || type === 'Node' || type === 'ABAC') && !required.has(type)) {
      throw new ConfigurationError(
        `authorizer type ${type} is not allowed if it was not enabled at initial server startup`,
      );
    }
  }
}

/**
 * Reads and validates a configuration. Rejects with {@link ConfigurationError} with kube-apiserver's message.
 */
async function readChecked(text: string): Promise<AuthorizationConfiguration> {
  const configuration = await decodeAuthorizationConfiguration(text).catch((error: Error) => {
    throw new ConfigurationError(`failed to load AuthorizationConfiguration from file: ${error.message}`);
  });
  const errors = await finishInSlices(validateAuthorizationConfiguration(configuration), createPacer());
  if (errors.length > 0) throw new ConfigurationError(fieldErrorsText(errors));
  const misnamed = configuration.authorizers.flatMap(({ type, name }) => {
    const expected = type.toLowerCase();
    if (type === 'Webhook' || name === expected) return [];
    return [`expected name ${expected} for authorizer ${type} instead of ${name}`];
  });
  if (misnamed.length > 0) throw new ConfigurationError(aggregateText(misnamed));
  return configuration;
}

function chainOf(links: readonly Link[]): AuthorizerChain {
  const union = unionAuthorizer([
    alwaysAllowGroups(privilegedGroup),
    ...links.map((link) => link.authorizer),
  ]);
  return {
    ...union,
    async rulesFor(user, namespace) {
      const all = await Promise.all(links.map((link) => link.rulesFor(user, namespace)));
      return {
        rules: all.flatMap(({ rules }) => rules),
        problems: all.flatMap(({ problems }) => problems),
        ...(all.some(({ incomplete }) => incomplete) ? { incomplete: true } : {}),
      };
    },
  };
}

const linksOf = ({ authorizers }: AuthorizationConfiguration, deps: LinkDeps): Promise<Link[]> =>
  Promise.all(authorizers.map((one) => linkOf(one, deps)));

async function linkOf({ type, name, webhook }: AuthorizerConfiguration, deps: LinkDeps): Promise<Link> {
  if (type === 'RBAC') {
    return {
      type,
      authorizer: deps.rbac,
      rulesFor: (user, namespace) => deps.rbac.rulesFor(user, namespace),
    };
  }
  if (type === 'AlwaysAllow') return { type, authorizer: always('allow', type), rulesFor: () => everything };
  if (type === 'AlwaysDeny') return { type, authorizer: always('noOpinion', type), rulesFor: () => nothing };
  if (type === 'Node') return { type, authorizer: noKubelets, rulesFor: () => nothing };
  if (type === 'ABAC' && deps.abac !== undefined) {
    const { abac } = deps;
    return { type, authorizer: abac, rulesFor: (user, namespace) => abac.rulesFor(user, namespace) };
  }
  if (webhook === undefined) throw new ConfigurationError(`authorizer type ${type} requires webhook`);
  return { type, authorizer: await openWebhook(name, webhook, deps), rulesFor: () => unknown };
}

const everything: UserRules = {
  rules: [
    { verbs: ['*'], apiGroups: ['*'], resources: ['*'] },
    { verbs: ['*'], nonResourceURLs: ['*'] },
  ],
  problems: [],
};
const nothing: UserRules = { rules: [], problems: [] };
const unknown: UserRules = {
  rules: [],
  problems: ['webhook authorizer does not support user rule resolution'],
  incomplete: true,
};

/** The Node authorizer has opinions about kubelets only. There are none, and it permits them nothing. */
const noKubelets: Authorizer = {
  name: 'Node',
  authorize: () => ({ decision: 'noOpinion', reason: '' }),
};

const always = (decision: 'allow' | 'noOpinion', name: string): Authorizer => ({
  name,
  authorize: () => ({ decision, reason: decision === 'allow' ? '' : 'Everything is forbidden.' }),
});

async function openWebhook(
  name: string,
  webhook: WebhookConfiguration,
  deps: ChainDeps,
): Promise<Authorizer> {
  const config = await connectionOf(webhook.connectionInfo);
  const expressions = webhook.matchConditions.map(({ expression }) => expression);
  const compiled = await finishInSlices(compileMatchConditions(expressions, FieldPath.root), createPacer());
  return webhookAuthorizer({
    name,
    client: new Client({ ...config, dial: deps.egress?.dialerFor('controlplane') }),
    version: webhook.subjectAccessReviewVersion === 'v1' ? 'v1' : 'v1beta1',
    timeoutMs: webhook.timeout,
    authorizedMs: webhook.cacheAuthorizedRequests ? webhook.authorizedTTL : 0,
    unauthorizedMs: webhook.cacheUnauthorizedRequests ? webhook.unauthorizedTTL : 0,
    conditions: compiled.conditions,
    onError: webhook.failurePolicy === 'Deny' ? 'deny' : 'noOpinion',
    clock: deps.clock,
  });
}

async function connectionOf({ type, kubeConfigFile = '' }: ConnectionInfo): Promise<ClientConfig> {
  if (type === 'InClusterConfig') {
    const config = inClusterConfig();
    if (config === undefined)
      throw new ConfigurationError('InClusterConfig: this process does not run in a cluster');
    return config;
  }
  return await loadKubeconfig(kubeConfigFile).catch((error: Error) => {
    throw new ConfigurationError(error.message);
  });
}
