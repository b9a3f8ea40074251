import { type DeclaredType, declaredType, escapeName, type View, viewOf } from '@annex/cel';
import type { SchemaNode } from '../node.ts';
import type { CompiledRule } from './compiled-rule.ts';
import { LazyRules } from './lazy-rules.ts';

/** The rules of a schema, where they stand: a node has children only where there are rules below. */
export interface RuleTree {
  readonly node: SchemaNode;
  /** Compiled when they are first asked; undefined where expressions cannot use the type of the values. */
  readonly rules: readonly CompiledRule[] | undefined;
  /** Compiles a few of the rules; true when all are. */
  prepare(): boolean;
  /** How expressions see a value of the node. */
  readonly view: View;
  readonly properties: ReadonlyMap<string, RuleTree>;
  readonly additional: RuleTree | undefined;
  readonly items: RuleTree | undefined;
}

/** Finds all rules of a schema; undefined where it has none. A resource has a type and a name even if its schema says nothing. */
export function compileRuleTree(node: SchemaNode, isResource: boolean): RuleTree | undefined {
  return hasRules(node) ? compileNode(node, isResource, declaredType(node, 'object', isResource)) : undefined;
}

/** True where rules stand at the node or below. */
function hasRules(node: SchemaNode): boolean {
  if (node.rules !== undefined) return true;
  if (node.items !== undefined && hasRules(node.items)) return true;
  const { additionalProperties } = node;
  if (additionalProperties !== undefined && additionalProperties !== true && hasRules(additionalProperties)) {
    return true;
  }
  return [...(node.properties?.values() ?? [])].some(hasRules);
}

function compileNode(node: SchemaNode, isResource: boolean, type: DeclaredType | undefined): RuleTree {
  const properties = new Map<string, RuleTree>();
  for (const [name, property] of node.properties ?? []) {
    const ofProperty = hasRules(property) ? propertyType(type, name, property) : undefined;
    if (ofProperty)
      properties.set(name, compileNode(property, property.embeddedResource === true, ofProperty));
  }
  const { additionalProperties } = node;
  const additional = additionalProperties === true ? undefined : additionalProperties;
  const lazy = new LazyRules(node, type);
  return {
    node,
    get rules() {
      return lazy.all();
    },
    prepare: () => lazy.prepare(),
    view: viewOf(node, isResource),
    properties,
    additional: compileElement(additional, type),
    items: compileElement(node.items, type),
  };
}

function compileElement(node: SchemaNode | undefined, type: DeclaredType | undefined): RuleTree | undefined {
  if (node === undefined || !hasRules(node)) return undefined;
  return compileNode(node, node.embeddedResource === true, type?.element);
}

/** The type of a property; rules of properties that expressions know nothing about are not asked. */
export function propertyType(
  type: DeclaredType | undefined,
  name: string,
  property: SchemaNode,
): DeclaredType | undefined {
  const identifier = escapeName(name);
  if (identifier === undefined) return declaredType(property, 'object', property.embeddedResource);
  return type?.fields?.get(identifier);
}
