import { fail } from '../errors.ts';
import type { Library } from '../functions/library.ts';
import { declare, overload } from '../typing/declare.ts';
import { types } from '../typing/type.ts';

const { bytes, string } = types;

/** https://github.com/google/cel-go/blob/master/ext/README.md#encoders */
export const encodersLibrary: Library = {
  name: 'encoders',
  functions: [
    declare('base64.decode', overload('base64_decode_string', [string], bytes, decode)),
    declare('base64.encode', overload('base64_encode_bytes', [bytes], string, encode)),
  ],
};

function encode(value: Uint8Array): string {
  return btoa(Array.from(value, (byte) => String.fromCharCode(byte)).join(''));
}

/** Decodes base64 with or without padding. */
function decode(text: string): Uint8Array {
  const body = text.replace(/[\r\n]/g, '').replace(/={1,2}$/, '');
  const invalidAt = body.search(/[^A-Za-z0-9+/]/);
  if (invalidAt >= 0 || body.length % 4 === 1)
    return fail(`illegal base64 data at input byte ${invalidAt >= 0 ? invalidAt : body.length}`);
  return Uint8Array.from(atob(body), (c) => c.charCodeAt(0));
}
