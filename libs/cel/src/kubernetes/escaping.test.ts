import { describe, expect, it } from 'vitest';
import { escapeName, unescapeName } from './escaping.ts';

describe('names of properties as identifiers', () => {
  it.each([
    ['CELT-018 two underscores', 'redact__d', 'redact__underscores__d'],
    ['CELT-019 a dot', 'a.b', 'a__dot__b'],
    ['CELT-020 a dash', 'x-prop', 'x__dash__prop'],
    ['CELT-021 a slash', 'a/b', 'a__slash__b'],
    ['CELT-022 a reserved word', 'for', '__for__'],
    ['CELT-023 namespace', 'namespace', '__namespace__'],
    ['CELS-014 a reserved word inside of another', 'sprint', 'sprint'],
    ['one underscore', '_a_b', '_a_b'],
    ['three underscores', 'a___b', 'a__underscores___b'],
    ['a name of Object.prototype', '__proto__', '__underscores__proto__underscores__'],
  ])('%s: %s is %s and back', (_title, name, identifier) => {
    expect(escapeName(name)).toBe(identifier);
    expect(unescapeName(identifier)).toBe(name);
  });

  it.each(['', '1a', 'a b', 'a$', 'é'])('CELS-013 %j cannot be an identifier', (name) => {
    expect(escapeName(name)).toBeUndefined();
  });

  it.each(['__nothing__', 'a__for__', '__int__'])('%j is not the identifier of a property', (identifier) => {
    expect(unescapeName(identifier)).toBeUndefined();
  });
});
