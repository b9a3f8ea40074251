import {
  type Alias,
  Composer,
  LineCounter,
  type Node,
  type Pair,
  Parser,
  type Scalar,
  type YAMLMap,
  isAlias,
  isMap,
  isScalar,
  isSeq,
} from 'yaml';
import { isObject, type JsonObject, type JsonValue, setOwn } from './json-object.ts';
import { type DecodedYaml, tooDeep, YamlError, type YamlLimits } from './yaml.ts';
import { resolvePlainScalar, ScalarError } from './yaml-scalar.ts';
import { yamlSyntaxText, yamlTextProblem } from './yaml-syntax-text.ts';

/**
 * Reads a text with the YAML library. Separate from `yaml.ts`, so that only processes that read YAML load the
 * library.
 */
export const convertYaml = (text: string, limits: YamlLimits): DecodedYaml =>
  new Converter(limits).document(text);

class Converter {
  private readonly limits: YamlLimits;
  private readonly lines = new LineCounter();
  private readonly anchors = new Map<string, Node>();
  private readonly expanding = new Set<string>();
  private readonly duplicates: string[] = [];
  private decoded = 0;
  private aliased = 0;
  private aliasCharacters = 0;

  constructor(limits: YamlLimits) {
    this.limits = limits;
  }

  document(text: string): DecodedYaml {
    const refusal = yamlTextProblem(text);
    if (refusal !== undefined) throw new YamlError(refusal);
    const composer = new Composer({ schema: 'failsafe', uniqueKeys: false, version: '1.1' });
    const parser = new Parser(this.lines.addNewLine);
    for (const document of composer.compose(parser.parse(text), true, text.length)) {
      const problem = document.errors[0];
      if (problem?.message.startsWith('Maximum call stack')) throw tooDeep(this.limits.depth);
      if (problem !== undefined)
        throw new YamlError(yamlSyntaxText(text, this.lines, [problem, document.errors[1]]));
      const node = document.contents as Node | null;
      return { value: node === null ? null : this.node(node, 0), duplicates: this.duplicates };
    }
    return { value: null, duplicates: [] };
  }

  private node(node: Node, depth: number): JsonValue {
    this.decoded++;
    if (this.expanding.size > 0) this.aliased++;
    this.refuseAliasBomb();
    if (depth > this.limits.depth) throw tooDeep(this.limits.depth);
    if (isAlias(node)) return this.alias(node, depth);
    if (node.anchor !== undefined) this.anchors.set(node.anchor, node);
    if (isScalar(node)) return this.scalar(node);
    if (isMap(node)) return this.map(node as YAMLMap<Node, Node | null>, depth);
    if (isSeq(node)) {
      return node.items.map((item) => (item === null ? null : this.node(item as Node, depth + 1)));
    }
    throw new YamlError('yaml: unsupported node');
  }

  // The ratios of go-yaml: almost everything may be aliased in a small document, a tenth in a large one.
  private refuseAliasBomb(): void {
    const { aliased, decoded } = this;
    const excessive = aliased > 100 && decoded > 1000 && aliased / decoded > allowedAliasShare(decoded);
    if (excessive || this.aliasCharacters > this.limits.aliasCharacters) {
      throw new YamlError('yaml: document contains excessive aliasing');
    }
  }

  private alias(node: Alias, depth: number): JsonValue {
    const target = this.anchors.get(node.source);
    if (target === undefined) throw new YamlError(`yaml: unknown anchor '${node.source}' referenced`);
    if (this.expanding.has(node.source)) {
      throw new YamlError(`yaml: anchor '${node.source}' value contains itself`);
    }
    this.expanding.add(node.source);
    const value = this.node(target, depth);
    this.expanding.delete(node.source);
    return value;
  }

  private scalar(node: Scalar): JsonValue {
    const text = node.source ?? String(node.value);
    if (this.expanding.size > 0) this.aliasCharacters += text.length;
    const tag = node.tag;
    if (tag === 'tag:yaml.org,2002:binary') return decodeBase64(text);
    if (node.type !== 'PLAIN' || tag === 'tag:yaml.org,2002:str') return text;
    try {
      return resolvePlainScalar(text);
    } catch (error) {
      if (error instanceof ScalarError) throw new YamlError(error.message);
      throw error;
    }
  }

  private map(node: YAMLMap<Node, Node | null>, depth: number): JsonObject {
    const object: JsonObject = {};
    const merges: Node[] = [];
    for (const pair of node.items) {
      if (isMergeKey(pair)) {
        if (pair.value !== null) merges.push(pair.value);
        continue;
      }
      const key = this.key(pair.key, depth);
      if (Object.hasOwn(object, key)) {
        this.duplicates.push(`line ${this.lineOf(pair)}: key ${JSON.stringify(key)} already set in map`);
      }
      setOwn(object, key, pair.value === null ? null : this.node(pair.value, depth + 1));
    }
    for (const merged of merges) this.merge(object, this.node(merged, depth + 1));
    return object;
  }

  // Keys of the mapping itself take precedence over merged ones, earlier merged ones over later ones.
  private merge(object: JsonObject, value: JsonValue): void {
    for (const source of Array.isArray(value) ? value : [value]) {
      if (!isObject(source))
        throw new YamlError('yaml: map merge requires map or sequence of maps as the value');
      for (const key of Object.keys(source)) {
        if (!Object.hasOwn(object, key)) setOwn(object, key, source[key]);
      }
    }
  }

  private key(node: Node | null, depth: number): string {
    const key = node === null ? null : this.node(node, depth + 1);
    if (key === null || typeof key === 'object') {
      throw new YamlError(`yaml: unsupported map key of type: ${key === null ? 'null' : 'object'}`);
    }
    return String(key);
  }

  // go-yaml reports the line of the value.
  private lineOf(pair: Pair<Node, Node | null>): number {
    const start = pair.value?.range?.[0] ?? pair.key.range?.[0] ?? 0;
    return this.lines.linePos(start).line;
  }
}

function isMergeKey(pair: Pair<Node, Node | null>): boolean {
  const key = pair.key as Node | null;
  return isScalar(key) && key.type === 'PLAIN' && key.source === '<<';
}

function allowedAliasShare(decoded: number): number {
  if (decoded <= 400_000) return 0.99;
  if (decoded >= 4_000_000) return 0.1;
  return 0.99 - (0.89 * (decoded - 400_000)) / 3_600_000;
}

function decodeBase64(text: string): string {
  try {
    const bytes = Uint8Array.from(atob(text.replaceAll(/\s/g, '')), (char) => char.charCodeAt(0));
    return new TextDecoder().decode(bytes);
  } catch {
    throw new YamlError('yaml: !!binary value contains invalid base64 data');
  }
}
