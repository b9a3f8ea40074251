import { type DeclaredType, declaredType, maxRequestBytes } from '@annex/cel';
import {
  type FieldError,
  fieldErrors,
  type FieldPath,
  isObject,
  type JsonObject,
  type Passes,
} from '@annex/machinery';
import {
  type CompiledRule,
  compileRules,
  propertyType,
  type SchemaNode,
  structuralNodeInPasses,
} from '@annex/schema';
import { goRule } from '../crd/go-value.ts';
import { expressionCostErrors, timesCost, TotalCost } from './rule-cost.ts';
import type { SchemaPart } from './schema-parts.ts';

const { internal, invalid } = fieldErrors;

/** The CEL declarations of a schema. */
interface TypeInfo {
  node: SchemaNode;
  type: DeclaredType;
}

/** The position of a schema, as far as its rules depend on it. */
export class RuleContext {
  readonly total: TotalCost;
  readonly #schema: JsonObject;
  readonly #parent: RuleContext | undefined;
  readonly #part: SchemaPart | undefined;
  /** The maximum number of values of the schema in an object; undefined if the lists and maps around it have no limit. */
  readonly #cardinality: number | undefined;
  /** True if this schema or one around it has rules. */
  readonly #inScope: boolean;
  readonly #limited: boolean;
  #typeInfo: TypeInfo | undefined;

  private constructor(schema: JsonObject, limited: boolean, parent?: RuleContext, part?: SchemaPart) {
    this.#schema = schema;
    this.#limited = limited;
    this.#parent = parent;
    this.#part = part;
    this.total = parent?.total ?? new TotalCost();
    this.#inScope = rulesAt(schema).length > 0 || (parent !== undefined && parent.#inScope);
    this.#cardinality = parent ? parent.#cardinalityBelow() : 1;
  }

  /** Returns the context of a root schema. If `limited` is false, single rules have no cost limit. */
  static root(schema: JsonObject, limited: boolean): RuleContext {
    return new RuleContext(schema, limited);
  }

  below(part: SchemaPart): RuleContext {
    return new RuleContext(part.schema, this.#limited, this, part);
  }

  /** Returns the errors of compiling the rules of the schema. */
  *errors(path: FieldPath, uncorrelatable: FieldPath | undefined): Passes<FieldError[]> {
    const rules = rulesAt(this.#schema);
    if (rules.length === 0) return [];
    const at = path.child('x-kubernetes-validations');
    const info = yield* this.#typed();
    if (!info) {
      const why = 'unable to convert structural schema to CEL declarations';
      const what = 'failed to construct type information for x-kubernetes-validations rules';
      return [internal(at, `internal error: ${what}: ${why}`)];
    }
    yield;
    const cardinality = this.#cardinality ?? mostValues(info.type);
    const errors: FieldError[] = [];
    let i = 0;
    for (const compiled of compileRules(info.node, info.type)) {
      if (typeof compiled !== 'object') {
        yield compiled;
        continue;
      }
      const source = rules[i] ?? {};
      const ruleAt = at.index(i++);
      errors.push(
        ...this.#ruleErrors(compiled, ruleAt, source, cardinality),
        ...this.#messageErrors(compiled, ruleAt, source),
        ...oldSelfErrors(compiled, ruleAt, uncorrelatable),
      );
      yield;
    }
    return errors;
  }

  #ruleErrors(
    { expression, error }: CompiledRule,
    at: FieldPath,
    source: JsonObject,
    cardinality: number,
  ): FieldError[] {
    const path = at.child('rule');
    const cost = timesCost(expression?.maxCost ?? 0, cardinality);
    this.total.add(path, cost);
    return [
      ...(this.#limited ? expressionCostErrors(path, 'estimated rule cost', cost) : []),
      ...(error === undefined ? [] : [invalid(path, goRule(source), error)]),
    ];
  }

  #messageErrors({ message, messageError }: CompiledRule, at: FieldPath, source: JsonObject): FieldError[] {
    const path = at.child('messageExpression');
    if (messageError !== undefined) return [invalid(path, goRule(source), messageError)];
    if (!message) return [];
    this.total.add(path, message.maxCost);
    return this.#limited
      ? expressionCostErrors(path, 'estimated messageExpression cost', message.maxCost)
      : [];
  }

  #cardinalityBelow(): number | undefined {
    const limit = maxElements(this.#schema);
    if (this.#cardinality === undefined || limit === undefined) return undefined;
    return timesCost(this.#cardinality, limit);
  }

  *#typed(): Passes<TypeInfo | undefined> {
    return (this.#typeInfo ??= (yield* this.#fromParent()) ?? (yield* this.#converted()));
  }

  /** Returns the type that the rules of the parent use, if there are any. */
  *#fromParent(): Passes<TypeInfo | undefined> {
    const parent = this.#parent;
    const info = parent && parent.#inScope ? yield* parent.#typed() : undefined;
    if (!info || !this.#part) return undefined;
    const { via, property = '' } = this.#part;
    const { properties, items, additionalProperties } = info.node;
    const additional = additionalProperties === true ? undefined : additionalProperties;
    const node = via === 'property' ? properties?.get(property) : via === 'items' ? items : additional;
    const type = via === 'property' ? node && propertyType(info.type, property, node) : info.type.element;
    return node && type && { node, type };
  }

  *#converted(): Passes<TypeInfo | undefined> {
    const node = yield* structuralNodeInPasses(this.#schema);
    yield;
    const type = declaredType(node, 'object', this.#parent === undefined || node.embeddedResource);
    return type && { node, type };
  }
}

function oldSelfErrors(
  { rule, usesOldSelf }: CompiledRule,
  at: FieldPath,
  uncorrelatable: FieldPath | undefined,
): FieldError[] {
  if (usesOldSelf) {
    if (!uncorrelatable) return [];
    const why = `oldSelf cannot be used on the uncorrelatable portion of the schema within ${String(uncorrelatable)}`;
    return [invalid(at.child('rule'), rule.rule, why)];
  }
  if (rule.optionalOldSelf === undefined) return [];
  const why = 'may not be set if oldSelf is not used in rule';
  return [invalid(at.child('optionalOldSelf'), rule.optionalOldSelf, why)];
}

/** Returns the rules of a schema. */
function rulesAt(schema: JsonObject): JsonObject[] {
  const rules = schema['x-kubernetes-validations'];
  return Array.isArray(rules) ? rules.filter(isObject) : [];
}

/** Returns the maximum number of values of a type in a request, separated by at least a comma. */
const mostValues = (type: DeclaredType): number => Math.floor(maxRequestBytes / (type.minSerializedSize + 1));

/** Returns the maximum number of child values for one value of a schema; undefined if there is no limit. */
function maxElements(schema: JsonObject): number | undefined {
  const { type, additionalProperties, maxProperties, maxItems } = schema;
  if (type === 'array') return limitOf(maxItems);
  return type === 'object' && additionalProperties !== undefined ? limitOf(maxProperties) : 1;
}

const limitOf = (value: unknown): number | undefined =>
  value === undefined || value === null ? undefined : Math.max(Number(value), 0);
