import { fieldErrorText, FieldPath, getOwn, goQuote } from '@annex/machinery';
import { domainPrefixedPathErrors } from '../domain-prefixed-path.ts';
import { forbiddenStatus } from '../authz/forbidden.ts';
import { type ImpersonationMode, nodeOfUser } from './impersonation-modes.ts';
import { parseServiceAccountUser } from '../service-accounts/service-account-name.ts';
import type { Attributes, Authorizer, UserInfo } from '../types.ts';
import { privilegedGroup } from '../authz/union-authorizer.ts';

const authenticationGroup = 'authentication.k8s.io';
/** From this number of values on, one check for all of them is tried first. */
const many = 4;

/** The authorizer of the impersonation checks. */
export type CheckAuthorizer = Pick<Authorizer, 'authorize'>;

/** Throws 403 if the authorizer does not allow the request. */
export async function requireAllowed(authorizer: CheckAuthorizer, attributes: Attributes): Promise<void> {
  const { decision, reason, evaluationError } = await authorizer.authorize(attributes);
  if (decision === 'allow') return;
  throw forbiddenStatus(attributes, [evaluationError, reason].filter((text) => text).join(': '));
}

/**
 * Checks, for one mode, whether the requestor may impersonate a user; each part of the identity needs a
 * permission.
 */
export class IdentityChecks {
  readonly #authorizer: CheckAuthorizer;
  readonly #requestor: UserInfo;
  readonly #constraint: string | undefined;

  constructor(authorizer: CheckAuthorizer, requestor: UserInfo, mode: ImpersonationMode) {
    this.#authorizer = authorizer;
    this.#requestor = requestor;
    this.#constraint = mode.constraint;
  }

  async require(requested: UserInfo): Promise<void> {
    await this.#allowed(this.#nameAttributes(requested.name));
    if (requested.uid) await this.#allowed(this.#attributes(authenticationGroup, 'uids', requested.uid));
    await this.#requireGroups(requested.groups);
    await this.#requireExtra(requested.extra);
  }

  get #constrained(): boolean {
    return this.#constraint !== undefined;
  }

  #attributes(apiGroup: string, resource: string, name: string): Attributes {
    return {
      user: this.#requestor,
      verb: this.#constrained ? `impersonate:${this.#constraint}` : 'impersonate',
      resourceRequest: true,
      apiGroup,
      apiVersion: 'v1',
      resource,
      subresource: '',
      namespace: '',
      name,
      path: '',
    };
  }

  /** Users and groups are core resources for the verb `impersonate` only. */
  get #subjectGroup(): string {
    return this.#constrained ? authenticationGroup : '';
  }

  #nameAttributes(user: string): Attributes {
    const attributes = this.#attributes(this.#subjectGroup, 'users', user);
    const account = parseServiceAccountUser(user);
    if (account !== undefined) return { ...attributes, resource: 'serviceaccounts', ...account };
    const node = this.#constrained ? nodeOfUser(user) : undefined;
    if (node === undefined) return attributes;
    return { ...attributes, resource: 'nodes', name: this.#constraint === 'associated-node' ? '*' : node };
  }

  async #requireGroups(groups: readonly string[]): Promise<void> {
    const of = (name: string) => this.#attributes(this.#subjectGroup, 'groups', name);
    if (this.#constrained) {
      if (groups.includes(''))
        throw forbiddenStatus(of(''), 'impersonating the empty string group is not allowed');
      if (groups.includes(privilegedGroup)) {
        throw forbiddenStatus(of(privilegedGroup), 'impersonating the system:masters group is not allowed');
      }
      if (groups.length >= many && (await this.#isAllowed(of('*')))) return;
    }
    for (const group of groups) await this.#allowed(of(group));
  }

  async #requireExtra(extra: UserInfo['extra']): Promise<void> {
    const keys = Object.keys(extra);
    const values = keys.reduce((sum, key) => sum + (getOwn(extra, key)?.length ?? 0), 0);
    const of = (subresource: string, name: string) => ({
      ...this.#attributes(authenticationGroup, 'userextras', name),
      subresource,
    });
    if (this.#constrained && keys.length > 0) {
      const error = extraError(extra);
      if (error !== undefined) throw forbiddenStatus(of('', ''), error);
      if (values >= many && (await this.#isAllowed(of('*', '*')))) return;
    }
    for (const key of keys) {
      for (const value of getOwn(extra, key) ?? []) await this.#allowed(of(key, value));
    }
  }

  #allowed(attributes: Attributes): Promise<void> {
    return requireAllowed(this.#authorizer, attributes);
  }

  async #isAllowed(attributes: Attributes): Promise<boolean> {
    return (await this.#authorizer.authorize(attributes)).decision === 'allow';
  }
}

const extraKeyPath = FieldPath.of('extra', 'key');

function extraError(extra: UserInfo['extra']): string | undefined {
  for (const [key, values] of Object.entries(extra)) {
    if (key === '') return 'impersonating the empty string key in extra is not allowed';
    const errors = domainPrefixedPathErrors(extraKeyPath, key).map(fieldErrorText);
    if (errors.length > 0)
      return `impersonating an invalid key in extra is not allowed: ${errors.join(', ')}`;
    if (key !== key.toLowerCase()) {
      return `impersonating a non-lowercase key in extra is not allowed: ${goQuote(key)}`;
    }
    if (values.includes('')) return 'impersonating the empty string value in extra is not allowed';
  }
  return undefined;
}
