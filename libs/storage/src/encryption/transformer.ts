/** A value as it was before it was encrypted. */
export interface Plain {
  value: Uint8Array;
  /** True if a write would encrypt the value with another key or provider. */
  stale: boolean;
}

/** Encrypts and decrypts values. `context` is authenticated data: the key in the store. */
export interface Transformer {
  /** Throws an Error with kube-apiserver's message if the bytes cannot be decrypted. */
  fromStorage(bytes: Uint8Array, context: string): Plain;
  toStorage(value: Uint8Array, context: string): Uint8Array;
}

/** A transformer, and what values that it has encrypted begin with. */
export interface PrefixedTransformer {
  prefix: string;
  transformer: Transformer;
}

/**
 * Tries the transformers whose prefix a value has, in order; the first one encrypts. `missing` is the error of a value without
 * any of the prefixes. The list is not empty.
 */
export function prefixTransformer(
  transformers: readonly PrefixedTransformer[],
  missing: string,
): Transformer {
  const all = transformers.map(({ prefix, transformer }) => ({ prefix: Buffer.from(prefix), transformer }));
  return {
    fromStorage(bytes, context) {
      const errors: string[] = [];
      for (const [i, { prefix, transformer }] of all.entries()) {
        if (!startsWith(bytes, prefix)) continue;
        try {
          const { value, stale } = transformer.fromStorage(bytes.subarray(prefix.length), context);
          return { value, stale: stale || i > 0 };
        } catch (error) {
          // Values that identity cannot read may be those of a later provider.
          if (prefix.length > 0) errors.push((error as Error).message);
        }
      }
      const distinct = [...new Set(errors)];
      throw new Error(distinct.length > 1 ? `[${distinct.join(', ')}]` : (distinct[0] ?? missing));
    },
    toStorage(value, context) {
      const [{ prefix, transformer }] = all as [(typeof all)[number]];
      return Buffer.concat([prefix, transformer.toStorage(value, context)]);
    },
  };
}

/** Returns whether the bytes begin with a prefix. */
export const startsWith = (bytes: Uint8Array, prefix: Uint8Array): boolean =>
  bytes.length >= prefix.length && prefix.every((byte, i) => bytes[i] === byte);
