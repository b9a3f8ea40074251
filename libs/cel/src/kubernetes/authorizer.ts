import { validateDns1123Label, validateDns1123Subdomain } from '@annex/machinery';
import type { CallCost } from '../costs/cost.ts';
import { baseCosts } from '../costs/factors.ts';
import { addRanges, exactly, type Range, scaleRange } from '../costs/range.ts';
import { sizeOf } from '../costs/size.ts';
import { fail } from '../errors.ts';
import type { Library } from '../functions/library.ts';
import { member } from '../typing/declare.ts';
import type { FunctionDeclaration } from '../typing/declarations.ts';
import { type CelType, structType, types } from '../typing/type.ts';
import { Instance, type Value } from '../values/value.ts';
import { costing, fixedCost, nominal, traversal } from './call-costs.ts';

const { bool, string } = types;

/** The type of the variable `authorizer`. */
export const authorizerType = structType('kubernetes.authorization.Authorizer');
const pathCheckType = structType('kubernetes.authorization.PathCheck');
const groupCheckType = structType('kubernetes.authorization.GroupCheck');
/** The type of the variable `authorizer.requestResource`. */
export const resourceCheckType = structType('kubernetes.authorization.ResourceCheck');
const decisionType = structType('kubernetes.authorization.Decision');

/** The request that an expression submits to the authorizer. */
export interface AuthorizationCheck {
  verb: string;
  /** The service account to check; absent for the user of the request. */
  serviceAccount?: { namespace: string; name: string };
  path?: string;
  resource?: ResourceToCheck;
}

/** The resource of a check, with selectors as unparsed text. */
export interface ResourceToCheck {
  group: string;
  resource: string;
  subresource: string;
  namespace: string;
  name: string;
  fieldSelector: string;
  labelSelector: string;
}

/** The decision of an authorizer. */
export interface AuthorizationDecision {
  allowed: boolean;
  reason: string;
  /** The error of the authorizer; empty if there was none. */
  error: string;
}

/** Decides a check synchronously. Errors that it throws end the evaluation. */
export type DecideCheck = (check: AuthorizationCheck) => AuthorizationDecision;

/** A value without fields, which only functions read. */
abstract class Opaque extends Instance {
  equals(other: Value): boolean {
    return other === this;
  }
}

/** The variable `authorizer`, which checks the permissions of a user. */
export class AuthorizerValue extends Opaque {
  readonly decide: DecideCheck;
  readonly serviceAccount: AuthorizationCheck['serviceAccount'];

  constructor(decide: DecideCheck, serviceAccount?: AuthorizationCheck['serviceAccount']) {
    super();
    this.decide = decide;
    this.serviceAccount = serviceAccount;
  }

  override get type(): CelType {
    return authorizerType;
  }

  check(of: Pick<AuthorizationCheck, 'verb' | 'path' | 'resource'>): DecisionValue {
    return new DecisionValue(
      this.decide({ ...of, ...(this.serviceAccount ? { serviceAccount: this.serviceAccount } : {}) }),
    );
  }
}

class PathCheck extends Opaque {
  readonly authorizer: AuthorizerValue;
  readonly path: string;

  constructor(authorizer: AuthorizerValue, path: string) {
    super();
    this.authorizer = authorizer;
    this.path = path;
  }

  override get type(): CelType {
    return pathCheckType;
  }
}

class GroupCheck extends Opaque {
  readonly authorizer: AuthorizerValue;
  readonly group: string;

  constructor(authorizer: AuthorizerValue, group: string) {
    super();
    this.authorizer = authorizer;
    this.group = group;
  }

  override get type(): CelType {
    return groupCheckType;
  }
}

/** A resource to check, such as the variable `authorizer.requestResource`. */
export class ResourceCheck extends Opaque {
  readonly authorizer: AuthorizerValue;
  readonly resource: ResourceToCheck;

  constructor(authorizer: AuthorizerValue, resource: ResourceToCheck) {
    super();
    this.authorizer = authorizer;
    this.resource = resource;
  }

  override get type(): CelType {
    return resourceCheckType;
  }

  with(part: Partial<ResourceToCheck>): ResourceCheck {
    return new ResourceCheck(this.authorizer, { ...this.resource, ...part });
  }
}

class DecisionValue extends Opaque {
  readonly decision: AuthorizationDecision;

  constructor(decision: AuthorizationDecision) {
    super();
    this.decision = decision;
  }

  override get type(): CelType {
    return decisionType;
  }
}

const notEmpty = (what: string, text: string): string =>
  text.trim() === '' ? fail(`${what} must not be empty`) : text;

function serviceAccount(authorizer: AuthorizerValue, namespace: string, name: string): AuthorizerValue {
  if (validateDns1123Subdomain(name).length > 0) fail('Invalid service account name');
  if (validateDns1123Label(namespace).length > 0) fail('Invalid service account namespace');
  return new AuthorizerValue(authorizer.decide, { namespace, name });
}

const noResource = {
  subresource: '',
  namespace: '',
  name: '',
  fieldSelector: '',
  labelSelector: '',
};

/** Declares a function that sets one attribute of a resource check. */
const refinement = (name: keyof ResourceToCheck, id: string, cost: CallCost): FunctionDeclaration =>
  costing(
    cost,
    name,
    member(id, [resourceCheckType, string], resourceCheckType, (check: ResourceCheck, value: string) =>
      check.with({ [name]: value }),
    ),
  );

/** Declares a function that returns one part of a decision. */
const decisionPart = (name: string, result: CelType, read: (decision: AuthorizationDecision) => Value) =>
  costing(
    nominal,
    name,
    member(`decision_${name}`, [decisionType], result, ({ decision }: DecisionValue) => read(decision)),
  );

// The shortest requirement is two bytes long, and is a structure with a list.
const requirementsPerByte = 0.5;
const costPerRequirement = baseCosts.list + baseCosts.struct;

/** The cost of parsing a selector into requirements. */
const selectorCost: CallCost = {
  estimate: ({ args, size }) => (args[0] ? { cost: selectorRange(size(args[0])) } : undefined),
  actual: ([, selector]) => selectorRange(exactly(sizeOf(selector ?? ''))).max,
};

const selectorRange = (length: Range): Range =>
  addRanges(
    addRanges(exactly(baseCosts.list), traversal(length)),
    scaleRange(scaleRange(length, requirementsPerByte), costPerRequirement),
  );

/** At most two checks fit into the cost limit of one expression. */
const checkCost = fixedCost(350_000);

/** The functions of `authorizer`. Source: "Kubernetes authorizer library" in the documentation of CEL in Kubernetes. */
export const authorizerLibrary: Library = {
  name: 'kubernetes.authz',
  functions: [
    costing(
      nominal,
      'path',
      member(
        'authorizer_path',
        [authorizerType, string],
        pathCheckType,
        (a: AuthorizerValue, path: string) => new PathCheck(a, notEmpty('path', path)),
      ),
    ),
    costing(
      nominal,
      'group',
      member(
        'authorizer_group',
        [authorizerType, string],
        groupCheckType,
        (a: AuthorizerValue, group: string) => new GroupCheck(a, group),
      ),
    ),
    costing(
      nominal,
      'serviceAccount',
      member('authorizer_serviceaccount', [authorizerType, string, string], authorizerType, serviceAccount),
    ),
    costing(
      nominal,
      'resource',
      member(
        'groupcheck_resource',
        [groupCheckType, string],
        resourceCheckType,
        ({ authorizer, group }: GroupCheck, resource: string) =>
          new ResourceCheck(authorizer, { ...noResource, group, resource: notEmpty('resource', resource) }),
      ),
    ),
    refinement('subresource', 'resourcecheck_subresource', nominal),
    refinement('namespace', 'resourcecheck_namespace', nominal),
    refinement('name', 'resourcecheck_name', nominal),
    refinement('fieldSelector', 'authorizer_fieldselector', selectorCost),
    refinement('labelSelector', 'authorizer_labelselector', selectorCost),
    costing(
      checkCost,
      'check',
      member(
        'pathcheck_check',
        [pathCheckType, string],
        decisionType,
        ({ authorizer, path }: PathCheck, verb: string) => authorizer.check({ path, verb }),
      ),
      member(
        'resourcecheck_check',
        [resourceCheckType, string],
        decisionType,
        ({ authorizer, resource }: ResourceCheck, verb: string) => authorizer.check({ resource, verb }),
      ),
    ),
    decisionPart('errored', bool, ({ error }) => error !== ''),
    decisionPart('error', string, ({ error }) => error),
    decisionPart('allowed', bool, ({ allowed }) => allowed),
    decisionPart('reason', string, ({ reason }) => reason),
  ],
  types: [authorizerType, pathCheckType, groupCheckType, resourceCheckType, decisionType],
};
