import { type JsonValue } from './json-object.ts';
import { parseJsonInPasses } from './json-passes.ts';
import { finish, type Passes } from './passes.ts';
import { exceedsDepthInPasses, findDuplicateFieldsInPasses, maxDepth } from './strict.ts';

/** Text that is not YAML, or exceeds a limit; the message begins with `yaml: ` like kube-apiserver's. */
export class YamlError extends Error {}

/** The content of a YAML document. */
export interface DecodedYaml {
  value: JsonValue;
  /** One text for each duplicate key of a mapping: `line 7: key "a" already set in map`. */
  duplicates: string[];
}

/** The limits of a YAML text. */
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
 * Reads the first document of a YAML 1.1 text like kube-apiserver: `y` and `on` are booleans, `<<` merges,
 * the last value of a repeated key counts. Aliases cannot expand a text beyond the limits. Rejects with
 * {@link YamlError}.
 */
export async function decodeYaml(text: string, limits: Partial<YamlLimits> = {}): Promise<DecodedYaml> {
  const allowed = { ...defaultLimits, ...limits };
  const json = finish(decodeJsonAsYaml(text, allowed.depth));
  if (json !== undefined) return json;
  if (opensTooMany(text, allowed.depth)) throw tooDeep(allowed.depth);
  try {
    const { convertYaml } = await import('./yaml-converter.ts');
    return convertYaml(text, allowed);
  } catch (error) {
    // The composer is recursive.
    if (error instanceof RangeError) throw tooDeep(allowed.depth);
    throw error;
  }
}

/** The error of a text that is nested too deeply. */
export const tooDeep = (limit: number) => new YamlError(`yaml: exceeded max depth of ${limit}`);

/** kube-apiserver's message for the duplicate keys of a YAML document, as one strict decoding error. */
export function yamlDuplicatesText(duplicates: readonly string[]): string {
  return ['yaml: unmarshal errors:', ...duplicates.map((line) => `  ${line}`)].join('\n');
}

/**
 * Reads JSON under a YAML media type, which kubectl sends for server-side apply, as fast as JSON, in passes. `undefined`
 * for all other texts, and for repeated keys, which are reported with their line.
 */
export function* decodeJsonAsYaml(text: string, depth: number = maxDepth): Passes<DecodedYaml | undefined> {
  if (!/^\s*\{/.test(text) || (yield* exceedsDepthInPasses(text, depth))) return undefined;
  yield;
  try {
    const value = yield* parseJsonInPasses(text);
    yield;
    const found = yield* findDuplicateFieldsInPasses(text, value);
    return found.length === 0 ? { value, duplicates: [] } : undefined;
  } catch {
    return undefined;
  }
}

// Brackets in scalars count too; hand-written texts never leave that many open.
function opensTooMany(text: string, limit: number): boolean {
  let depth = 0;
  for (const [bracket] of text.matchAll(/[[\]{}]/g)) {
    if (bracket === '[' || bracket === '{') {
      if (++depth > limit) return true;
    } else if (depth > 0) depth--;
  }
  return false;
}
