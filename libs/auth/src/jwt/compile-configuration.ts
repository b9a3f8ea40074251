import { type FieldError, fieldErrors, FieldPath } from '@annex/machinery';
import { domainPrefixedPathErrors } from '../domain-prefixed-path.ts';
import type {
  AuthenticationConfiguration,
  ClaimRule,
  JwtConfiguration,
  MappingConfiguration,
} from './configuration.ts';
import { compileJwtExpression, type JwtExpression, readsClaim } from './expressions.ts';
import { validateIssuer } from './validate-issuer.ts';

const { duplicate, invalid, required, tooMany } = fieldErrors;

/** A rule with a compiled expression, and the message if it is false. */
export interface CompiledRule {
  expression: JwtExpression;
  message: string;
}

/** One issuer of a configuration with its expressions. */
export interface CompiledJwt {
  configuration: JwtConfiguration;
  username: JwtExpression | undefined;
  groups: JwtExpression | undefined;
  uid: JwtExpression | undefined;
  extra: readonly { key: string; expression: JwtExpression }[];
  claimRules: readonly CompiledRule[];
  userRules: readonly CompiledRule[];
}

/** Issuers in one AuthenticationConfiguration. Source: kube-apiserver. */
export const maxConfiguredIssuers = 64;

/**
 * Validates a configuration as kube-apiserver does, and compiles its expressions. `disallowed` are the
 * issuers of this server's own tokens.
 */
export function compileConfiguration(
  { jwt, anonymous }: AuthenticationConfiguration,
  disallowed: readonly string[],
): { compiled: CompiledJwt[]; errors: FieldError[] } {
  const root = FieldPath.of('jwt');
  if (jwt.length > maxConfiguredIssuers)
    return { compiled: [], errors: [tooMany(root, jwt.length, maxConfiguredIssuers)] };
  const errors: FieldError[] = [];
  const seen = { url: new Set<string>(), discoveryURL: new Set<string>() };
  const compiled = jwt.map((one, i) => {
    const at = root.index(i);
    const compiler = new Compiler(one, at, disallowed);
    const result = compiler.compile();
    errors.push(...compiler.errors);
    for (const field of ['url', 'discoveryURL'] as const) {
      const value = one.issuer[field];
      if (seen[field].has(value)) errors.push(duplicate(at.child('issuer', field), value));
      if (value !== '' || field === 'url') seen[field].add(value);
    }
    return result;
  });
  if (anonymous !== undefined && !anonymous.enabled && anonymous.conditions.length > 0) {
    const conditions = anonymous.conditions.map(({ path }) => ({ Path: path }));
    const why = 'enabled should be set to true when conditions are defined';
    errors.push(invalid(FieldPath.of('anonymous', 'conditions'), conditions, why));
  }
  return { compiled, errors };
}

class Compiler {
  readonly errors: FieldError[] = [];
  readonly #jwt: JwtConfiguration;
  readonly #at: FieldPath;
  readonly #disallowed: readonly string[];

  constructor(jwt: JwtConfiguration, at: FieldPath, disallowed: readonly string[]) {
    this.#jwt = jwt;
    this.#at = at;
    this.#disallowed = disallowed;
  }

  compile(): CompiledJwt {
    const { claimMappings: mappings, claimValidationRules, issuer, userValidationRules } = this.#jwt;
    const at = this.#at.child('claimMappings');
    this.errors.push(...validateIssuer(issuer, this.#at.child('issuer'), this.#disallowed));
    const claimRules = this.#claimRules(claimValidationRules, this.#at.child('claimValidationRules'));
    const username = this.#mapping(mappings.username, at.child('username'), true);
    const groups = this.#mapping(mappings.groups, at.child('groups'), false);
    const uid = this.#uid(mappings.uid, at.child('uid'));
    const extra = this.#extra(mappings.extra, at.child('extra'));
    const compiled = { configuration: this.#jwt, username, groups, uid, extra, claimRules };
    this.#requireVerifiedEmail(compiled, at.child('username', 'expression'));
    return {
      ...compiled,
      userRules: this.#userRules(userValidationRules, this.#at.child('userValidationRules')),
    };
  }

  #expression(source: string, at: FieldPath, variable: 'claims' | 'user' = 'claims', bool = false) {
    const found = compileJwtExpression(source, variable, { at, bool });
    if ('source' in found) return found;
    this.errors.push(found);
    return undefined;
  }

  #claimRules(rules: readonly ClaimRule[], at: FieldPath): CompiledRule[] {
    const claims = new Set<string>();
    const expressions = new Set<string>();
    return rules.flatMap((rule, i) => {
      const { claim, expression, message, requiredValue } = rule;
      const here = at.index(i);
      if (claim !== '' && expression !== '') {
        this.errors.push(invalid(here, claim, "claim and expression can't both be set"));
      } else if (claim === '' && expression === '') {
        this.errors.push(required(here, 'claim or expression is required'));
      } else if (claim !== '') {
        this.#refuseOther(here.child('message'), message, 'may not be specified when claim is set');
        this.#once(claims, claim, here.child('claim'));
      } else {
        this.#refuseOther(
          here.child('requiredValue'),
          requiredValue,
          'may not be specified when expression is set',
        );
        const field = here.child('expression');
        if (!this.#once(expressions, expression, field)) return [];
        const found = this.#expression(expression, field, 'claims', true);
        if (found) return [{ expression: found, message }];
      }
      return [];
    });
  }

  #refuseOther(at: FieldPath, value: string, why: string): void {
    if (value !== '') this.errors.push(invalid(at, value, why));
  }

  #once(seen: Set<string>, value: string, at: FieldPath): boolean {
    if (seen.has(value)) {
      this.errors.push(duplicate(at, value));
      return false;
    }
    seen.add(value);
    return true;
  }

  #mapping(mapping: MappingConfiguration, at: FieldPath, isRequired: boolean): JwtExpression | undefined {
    const { claim, expression, prefix } = mapping;
    if (expression !== '' && claim !== '') {
      this.errors.push(invalid(at, '', "claim and expression can't both be set"));
    } else if (expression !== '') {
      if (prefix !== undefined) {
        const why = 'may not be specified when expression is set';
        this.errors.push(invalid(at.child('prefix'), prefix, why));
      }
      return this.#expression(expression, at.child('expression'));
    } else if (claim === '') {
      if (isRequired) this.errors.push(required(at, 'claim or expression is required'));
    } else if (prefix === undefined) {
      const why =
        'prefix is required when claim is set. It can be set to an empty string to disable prefixing';
      this.errors.push(required(at.child('prefix'), why));
    }
    return undefined;
  }

  #uid({ claim, expression }: { claim: string; expression: string }, at: FieldPath) {
    if (expression === '') return undefined;
    if (claim === '') return this.#expression(expression, at.child('expression'));
    this.errors.push(invalid(at, '', "claim and expression can't both be set"));
    return undefined;
  }

  #extra(list: JwtConfiguration['claimMappings']['extra'], at: FieldPath) {
    const seen = new Set<string>();
    return list.flatMap(({ key, valueExpression }, i) => {
      const keyAt = at.index(i).child('key');
      this.errors.push(...domainPrefixedPathErrors(keyAt, key));
      if (key !== key.toLowerCase()) this.errors.push(invalid(keyAt, key, 'must be lowercase'));
      if (isReserved(key)) {
        const why = 'k8s.io, kubernetes.io and their subdomains are reserved for Kubernetes use';
        this.errors.push(invalid(keyAt, key, why));
      }
      if (!this.#once(seen, key, keyAt)) return [];
      const valueAt = at.index(i).child('valueExpression');
      if (valueExpression === '') {
        this.errors.push(required(valueAt));
        return [];
      }
      const expression = this.#expression(valueExpression, valueAt);
      return expression ? [{ key, expression }] : [];
    });
  }

  /** An unverified e-mail address does not identify a user. */
  #requireVerifiedEmail(compiled: Omit<CompiledJwt, 'userRules'>, at: FieldPath): void {
    const { username, extra, claimRules } = compiled;
    if (username === undefined || !readsClaim(username.expr, 'email')) return;
    const others = [username, ...extra, ...claimRules].map((one) =>
      'expression' in one ? one.expression : one,
    );
    if (others.some(({ expr }) => readsClaim(expr, 'email_verified'))) return;
    const why =
      'claims.email_verified must be used in claimMappings.username.expression or claimMappings.extra[*].valueExpression or claimValidationRules[*].expression when claims.email is used in claimMappings.username.expression';
    this.errors.push(invalid(at, username.source, why));
  }

  #userRules(rules: JwtConfiguration['userValidationRules'], at: FieldPath): CompiledRule[] {
    const seen = new Set<string>();
    return rules.flatMap(({ expression, message }, i) => {
      const field = at.index(i).child('expression');
      if (expression === '') {
        this.errors.push(required(field));
        return [];
      }
      if (!this.#once(seen, expression, field)) return [];
      const found = this.#expression(expression, field, 'user', true);
      return found ? [{ expression: found, message }] : [];
    });
  }
}

function isReserved(key: string): boolean {
  const domain = key.includes('/') ? key.slice(0, key.indexOf('/')) : '';
  return ['kubernetes.io', 'k8s.io'].some((own) => domain === own || domain.endsWith(`.${own}`));
}
