import { setImmediate } from 'node:timers/promises';
import { finishInSlices, goQuote, type Passes, setOwn } from '@annex/machinery';
import { claimsValue, ListValue, type Value } from '@annex/cel';
import type { Clock, Dial } from '@annex/runtime';
import type { TokenAuthenticator } from '../authn/bearer-token-authenticator.ts';
import { credentialIdKey } from '../authn/x509-authenticator.ts';
import { type Authenticated, CredentialsError, type UserInfo } from '../types.ts';
import { ClaimError, Claims } from './claims.ts';
import type { CompiledJwt, CompiledRule } from './compile-configuration.ts';
import { ExpressionError, type JwtExpression } from './expressions.ts';
import { DistributedClaims } from './distributed-claims.ts';
import { Issuer } from './issuer.ts';
import { claimedIssuer, type TokenRules, verifyToken } from './verify-token.ts';

/** Authenticates the tokens of one issuer. */
export class JwtAuthenticator implements TokenAuthenticator {
  readonly name = 'jwt';
  readonly issuer: Issuer;
  readonly #jwt: CompiledJwt;
  readonly #rules: TokenRules;
  readonly #clock: Pick<Clock, 'now' | 'sleep'>;
  readonly #distributed: DistributedClaims | undefined;

  /** `dial` opens the connections to issuers; by default they are direct. */
  constructor(
    jwt: CompiledJwt,
    algorithms: readonly string[],
    clock: Pick<Clock, 'now' | 'sleep'>,
    dial?: Dial,
  ) {
    const { issuer, claimMappings } = jwt.configuration;
    this.issuer = new Issuer(issuer, clock, dial);
    this.#jwt = jwt;
    this.#rules = { audiences: issuer.audiences, algorithms };
    this.#clock = clock;
    const { claim } = claimMappings.groups;
    const deps = { of: issuer, own: this.issuer, rules: this.#rules, clock, dial };
    this.#distributed = claim === '' ? undefined : new DistributedClaims(claim, deps);
  }

  stop(): void {
    this.issuer.stop();
    this.#distributed?.stop();
  }

  async authenticateToken(token: string): Promise<Authenticated | undefined> {
    if (claimedIssuer(token) !== this.issuer.url) return undefined;
    if (!this.issuer.isConnected) throw new CredentialsError('oidc: authenticator not initialized');
    const verified = await verifyToken(token, this.issuer, this.#rules, this.#clock.now()).catch(
      (error: Error) => {
        throw new CredentialsError(`oidc: verify token: ${error.message}`);
      },
    );
    const claims = await this.#expanded(new Claims(verified));
    const user = await finishInSlices(mappedUser(this.#jwt, claims), () => setImmediate());
    return { user, by: this.name };
  }

  async #expanded(claims: Claims): Promise<Claims> {
    if (this.#distributed === undefined) return claims;
    return await this.#distributed.expanded(claims).catch((error: Error) => {
      throw new CredentialsError(`oidc: could not expand distributed claims: ${error.message}`);
    });
  }
}

/** Adds the failed part of the mapping to claim and expression errors; other errors pass through. */
function mapped<T>(what: string, run: () => T): T {
  try {
    return run();
  } catch (error) {
    throw failedPart(what, error);
  }
}

/** Does the same for a part that evaluates an expression. */
function* mappedInPasses<T>(what: string, run: Passes<T>): Passes<T> {
  try {
    return yield* run;
  } catch (error) {
    throw failedPart(what, error);
  }
}

const failedPart = (what: string, error: unknown): unknown =>
  error instanceof ClaimError || error instanceof ExpressionError
    ? new CredentialsError(`oidc: ${what}: ${error.message}`)
    : error;

function* mappedUser(jwt: CompiledJwt, claims: Claims): Passes<UserInfo> {
  const variables = { claims: claimsValue(claims.json) };
  const name = yield* userName(jwt, claims, variables);
  const groups = yield* userGroups(jwt, claims, variables);
  const uid = yield* userUid(jwt, claims, variables);
  const extra = yield* userExtra(jwt, claims, variables);
  requireClaims(jwt, claims);
  yield* requireRules(jwt.claimRules, variables, 'claim validation expression');
  const user = { name, ...(uid ? { uid } : {}), groups, extra };
  yield* requireRules(
    jwt.userRules,
    { user: { username: name, uid, groups, extra: { ...extra } } },
    'user info validation rule',
  );
  return user;
}

type Variables = Readonly<Record<string, Value>>;

function* userName(jwt: CompiledJwt, claims: Claims, variables: Variables): Passes<string> {
  const { claim, prefix = '' } = jwt.configuration.claimMappings.username;
  const { username: expression } = jwt;
  if (expression !== undefined) {
    const failed = 'error evaluating username claim expression';
    const value = yield* mappedInPasses(failed, expression.evaluate(variables));
    if (typeof value !== 'string') {
      throw new CredentialsError(`oidc: ${failed}: username claim expression must return a string`);
    }
    if (value === '') throw new CredentialsError('oidc: empty username via CEL expression is not allowed');
    return value;
  }
  const name = mapped(`parse username claims ${goQuote(claim)}`, () => claims.text(claim));
  if (claim === 'email' && claims.has('email_verified')) {
    const verified = mapped("parse 'email_verified' claim", () => claims.bool('email_verified'));
    if (!verified) throw new CredentialsError('oidc: email not verified');
  }
  return prefix + name;
}

function* userGroups(jwt: CompiledJwt, claims: Claims, variables: Variables): Passes<string[]> {
  const { claim, prefix = '' } = jwt.configuration.claimMappings.groups;
  if (claim !== '' && claims.has(claim)) {
    return mapped(`parse groups claim ${goQuote(claim)}`, () => claims.texts(claim)).map(
      (group) => prefix + group,
    );
  }
  const { groups: expression } = jwt;
  if (expression === undefined) return [];
  const failed = 'error evaluating group claim expression';
  const value = yield* mappedInPasses(failed, expression.evaluate(variables));
  return mapped(failed, () => textsOf(value));
}

function* userUid(jwt: CompiledJwt, claims: Claims, variables: Variables): Passes<string> {
  const { claim } = jwt.configuration.claimMappings.uid;
  if (claim !== '') return mapped(`parse uid claim ${goQuote(claim)}`, () => claims.text(claim));
  const { uid: expression } = jwt;
  if (expression === undefined) return '';
  const failed = 'error evaluating uid claim expression';
  const value = yield* mappedInPasses(failed, expression.evaluate(variables));
  if (typeof value === 'string') return value;
  throw new CredentialsError(`oidc: ${failed}: uid claim expression must return a string`);
}

function* userExtra(
  jwt: CompiledJwt,
  claims: Claims,
  variables: Variables,
): Passes<Record<string, string[]>> {
  const extra: Record<string, string[]> = {};
  const id = claims.has('jti') ? claims.json.jti : undefined;
  if (typeof id === 'string' && id !== '') extra[credentialIdKey] = [`JTI=${id}`];
  const evaluated: { key: string; source: string; value: Value }[] = [];
  for (const { key, expression } of jwt.extra)
    evaluated.push({ key, source: expression.source, value: yield* evaluatedExtra(expression, variables) });
  for (const { key, source, value } of evaluated) {
    const values = mapped(`error evaluating extra claim expression: ${source}`, () => textsOf(value));
    if (values.length > 0) setOwn(extra, key, values);
  }
  return extra;
}

// kube-apiserver reports this error without a prefix.
function* evaluatedExtra(expression: JwtExpression, variables: Variables): Passes<Value> {
  try {
    return yield* expression.evaluate(variables);
  } catch (error) {
    if (error instanceof ExpressionError) throw new CredentialsError(error.message);
    throw error;
  }
}

/** A string, or the strings of a list; empty ones are left out. */
function textsOf(value: Value): string[] {
  if (value === null) return [];
  const list =
    typeof value === 'string'
      ? [value]
      : value instanceof ListValue
        ? Array.from({ length: value.length }, (_, i) => value.at(i))
        : Array.isArray(value)
          ? (value as Value[])
          : [undefined];
  if (!list.every((item) => typeof item === 'string')) {
    throw new ExpressionError('expression must return a string or a list of strings');
  }
  return list.filter((item) => item !== '');
}

function requireClaims({ configuration }: CompiledJwt, claims: Claims): void {
  for (const { claim, requiredValue } of configuration.claimValidationRules) {
    if (claim === '') continue;
    if (!claims.has(claim))
      throw new CredentialsError(`oidc: required claim ${claim} not present in ID token`);
    const value = mapped(`parse claim ${claim}`, () => claims.text(claim));
    if (value === requiredValue) continue;
    throw new CredentialsError(
      `oidc: required claim ${claim} value does not match. Got = ${value}, want = ${requiredValue}`,
    );
  }
}

function requireRules(rules: readonly CompiledRule[], variables: Variables, what: string): Passes<void> {
  return mappedInPasses(`error evaluating ${what}`, requireAll(rules, variables));
}

function* requireAll(rules: readonly CompiledRule[], variables: Variables): Passes<void> {
  const values: Value[] = [];
  for (const { expression } of rules) values.push(yield* expression.evaluate(variables));
  for (const [i, { expression, message }] of rules.entries()) {
    if (values[i] === true) continue;
    throw new ExpressionError(`validation expression '${expression.source}' failed: ${message}`);
  }
}
