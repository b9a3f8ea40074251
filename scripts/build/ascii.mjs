import { decode, encode } from '@jridgewell/sourcemap-codec';

/**
 * A plugin that writes other characters than those of ASCII as escapes. The bundle has them in strings, templates and regular expressions
 * only. V8 keeps a file of ASCII in half of the memory, and Node reads it in a fifth of the time.
 */
export const ascii = () => ({
  name: 'ascii',
  generateBundle(_options, files) {
    for (const file of Object.values(files)) {
      if (file.type !== 'chunk' || !isOther.test(file.code)) continue;
      if (notEscapable.test(file.code)) throw new Error(`${file.fileName}: a character cannot be escaped`);
      const map = files[`${file.fileName}.map`];
      if (map) map.source = movedMap(map.source, file.code.split('\n'));
      file.code = file.code.replace(others, escaped);
    }
  },
});

/** After a backslash, and in the text of `String.raw`, an escape has another meaning. */
const notEscapable = /\\[^\0-\x7f]|\braw`[^`]*[^\0-\x7f`]/;
const isOther = /[^\0-\x7f]/;
const others = new RegExp(isOther, 'g');
const escaped = (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
const added = escaped('\u{ffff}').length - 1;

function movedMap(source, texts) {
  const map = JSON.parse(source);
  return JSON.stringify({ ...map, mappings: encode(moved(decode(map.mappings), texts)) });
}

/** The segments of a source map, in the columns after the escapes. */
const moved = (lines, texts) =>
  lines.map((segments, line) => {
    const columns = [...texts[line].matchAll(others)].map(({ index }) => index);
    return segments.map(([column, ...source]) => [column + added * countBelow(columns, column), ...source]);
  });

const countBelow = (columns, limit) => columns.filter((column) => column < limit).length;
