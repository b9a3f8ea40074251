import { type JsonValue, parseJson } from './json.ts';
import { exceedsDepth, findDuplicateFields, maxDepth } from './strict.ts';

/** Thrown for text that is not YAML, or is refused; the message begins with `yaml: ` as kube's does. */
export class YamlError extends Error {}

/** What a YAML document holds. */
export interface DecodedYaml {
  value: JsonValue;
  /** One text for each key that stands twice in a mapping: `line 7: key "a" already set in map`. */
  duplicates: string[];
}

/** What a YAML text may cost. */
export interface YamlLimits {
  /** Nesting of mappings and sequences. */
  depth: number;
  /** Characters that aliases may add to the text. */
  aliasCharacters: number;
}

/** Characters that the aliases of one YAML text may add. */
export const maxYamlAliasLength = 10 * 1024 * 1024;

const defaultLimits: YamlLimits = { depth: maxDepth, aliasCharacters: maxYamlAliasLength };

/**
 * Reads the first document of a YAML 1.1 text as kube-apiserver does: `y` and `on` are booleans, `<<` merges,
 * of a repeated key the last value counts. Aliases cannot make more of a text than the limits allow.
 * Rejects with {@link YamlError}.
 */
export async function decodeYaml(text: string, limits: Partial<YamlLimits> = {}): Promise<DecodedYaml> {
  const allowed = { ...defaultLimits, ...limits };
  const json = decodeJsonAsYaml(text, allowed.depth);
  if (json !== undefined) return json;
  if (opensTooMany(text, allowed.depth)) throw tooDeep(allowed.depth);
  try {
    const { convertYaml } = await import('./yaml-converter.ts');
    return convertYaml(text, allowed);
  } catch (error) {
    // The composer recurses.
    if (error instanceof RangeError) throw tooDeep(allowed.depth);
    throw error;
  }
}

/** The refusal of a text that is nested too deeply. */
export const tooDeep = (limit: number) => new YamlError(`yaml: exceeded max depth of ${limit}`);

/** kube's text for the duplicate keys of a YAML document, as one strict decoding error. */
export function yamlDuplicatesText(duplicates: readonly string[]): string {
  return ['yaml: unmarshal errors:', ...duplicates.map((line) => `  ${line}`)].join('\n');
}

/**
 * Reads JSON under a YAML media type, as kubectl sends it for server-side apply, as fast as JSON. `undefined` for all other
 * texts, and for repeated keys, which are reported with their line.
 */
export function decodeJsonAsYaml(text: string, depth: number = maxDepth): DecodedYaml | undefined {
  if (!/^\s*\{/.test(text) || exceedsDepth(text, depth)) return undefined;
  try {
    const value = parseJson(text);
    return findDuplicateFields(text, value).length === 0 ? { value, duplicates: [] } : undefined;
  } catch {
    return undefined;
  }
}

// Brackets in scalars count too; no text that people write leaves so many open.
function opensTooMany(text: string, limit: number): boolean {
  let depth = 0;
  for (const [bracket] of text.matchAll(/[[\]{}]/g)) {
    if (bracket === '[' || bracket === '{') {
      if (++depth > limit) return true;
    } else if (depth > 0) depth--;
  }
  return false;
}
