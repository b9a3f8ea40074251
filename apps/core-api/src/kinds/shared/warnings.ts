import {
  FieldPath,
  getOwn,
  isObject,
  type JsonObject,
  type KubeObject,
  Quantity,
  validateDns1123Label,
} from '@annex/machinery';

/** Returns warnings about an object that is accepted but not recommended; `old` is absent for new objects. */
export type Warnings = (object: KubeObject, old: KubeObject | undefined) => string[];

/** Returns a warning about a field. */
export const about = (at: FieldPath, text: string): string => `${at}: ${text}`;

/** Warns about amounts of bytes that are not whole numbers. */
export function fractional(amounts: unknown, names: readonly string[], at: FieldPath): string[] {
  return names.flatMap((name) => {
    const amount = isObject(amounts) ? getOwn(amounts, name) : undefined;
    if (typeof amount !== 'string' || Quantity.parse(amount).scaledValue(-3) % 1000n === 0n) return [];
    const text = `fractional byte value ${JSON.stringify(Quantity.parse(amount).toString())} is invalid, must be an integer`;
    return [about(at.key(name), text)];
  });
}

/** Warns about annotations without effect; the value is the reason. */
export const annotations = (
  object: JsonObject | KubeObject,
  texts: Readonly<Record<string, string>>,
  at: FieldPath,
): string[] => {
  const provided =
    (object.metadata as { annotations?: Record<string, string> } | undefined)?.annotations ?? {};
  return Object.entries(texts).flatMap(([name, text]) =>
    Object.hasOwn(provided, name) ? [about(at.child('metadata', 'annotations').key(name), text)] : [],
  );
};

export const root = FieldPath.root;

/** Warns about new objects only. */
export const onCreate =
  (warn: (object: KubeObject) => string[]): Warnings =>
  (object, old) =>
    old === undefined ? warn(object) : [];

/** Warns about a name that is not a DNS label and becomes part of hostnames. */
export const dnsLabelName =
  (use: string) =>
  ({ metadata: { name = '' } }: KubeObject): string[] => {
    const why = validateDns1123Label(name);
    const text = `this is used in ${use}, which can result in surprising behavior; a DNS label is recommended: [${why.join(' ')}]`;
    return why.length === 0 ? [] : [`metadata.name: ${text}`];
  };

/** Combines warnings, in this order. */
export const both =
  (...parts: Warnings[]): Warnings =>
  (object, old) =>
    parts.flatMap((warn) => warn(object, old));
