import fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  completeErrors,
  errorsAtOnce,
  errorsInPasses,
  errorsOfEach,
  errorsOfMembers,
  noteErrors,
  postponeErrors,
} from './errors-of-each.ts';
import { type FieldError, fieldErrors, FieldPath, fieldErrorsText, maxFieldErrors } from './field.ts';
import { finish, type Passes } from './passes.ts';
import { noteNames } from './wide-objects.ts';

type Tree = boolean | Tree[];

const trees = fc.letrec<{ tree: Tree }>((tie) => ({
  tree: fc.oneof({ depthSize: 'small' }, fc.boolean(), fc.array(tie('tree'), { maxLength: 6 })),
})).tree;

/** Refuses `false`, and lists that were seen before at any place: the check of an item can depend on those before it. */
function checkTree(tree: Tree): FieldError[] {
  const seen = new Set<string>();
  const check = (value: Tree, at: FieldPath): FieldError[] => {
    if (typeof value === 'boolean') return value ? [] : [fieldErrors.required(at)];
    const text = JSON.stringify(value);
    const repeated = seen.has(text) ? [fieldErrors.duplicate(at, text)] : [];
    seen.add(text);
    return [...repeated, ...errorsOfEach(value, (item, index) => check(item, at.index(index)))];
  };
  return errorsOfEach([tree, [tree], tree], (item, index) => check(item, FieldPath.of('a').index(index)));
}

/** Returns the number of passes and the result. */
function counted<T>(passes: Passes<T>): [passes: number, result: T] {
  for (let count = 1; ; count++) {
    const { done, value } = passes.next();
    if (done === true) return [count, value];
  }
}

it('checks in passes have the errors of those at once, in their order', () => {
  fc.assert(
    fc.property(trees, fc.nat(5), (tree, share) => {
      const found = finish(completeErrors(postponeErrors(() => checkTree(tree), share)));
      expect(found).toEqual(checkTree(tree));
    }),
  );
});

it.each([3, 2000])('checks of %d members in passes have the errors of those at once', (count) => {
  const members = Object.fromEntries(Array.from({ length: count }, (_, i) => [`a${i}`, i]));
  const check = () =>
    errorsOfMembers(members, (name, value) =>
      value % 2 === 0 ? [] : [fieldErrors.invalid(name, value, '')],
    );
  const expected = check();
  expect(expected).toHaveLength(Math.floor(count / 2));
  noteNames(members, Object.keys(members));
  expect(check()).toEqual(expected);
  expect(finish(errorsInPasses(check))).toEqual(expected);
});

it('a pass checks a share of the items of nested lists', () => {
  const items = Array.from({ length: 100 }, () => Array.from({ length: 99 }, () => true));
  const check = () => errorsOfEach(items, (item) => errorsOfEach(item, () => []));
  expect(counted(completeErrors(postponeErrors(check, 1000)))).toEqual([10, []]);
  expect(counted(errorsInPasses(check))[0]).toBe(20);
  expect(counted(errorsInPasses(() => errorsOfEach(items, () => [])))).toEqual([1, []]);
});

it('nothing is postponed for a check that counts the errors of another one', () => {
  const items = [1, 2, 3];
  const isValid = (): boolean => errorsAtOnce(() => errorsOfEach(items, () => [])).length === 0;
  expect(postponeErrors(isValid, 0)).toBe(true);
});

it.each([0, 1, 2, 3, 4, 10])('errors are noted when all are known, in passes of %d items', (share) => {
  const noted: number[][] = [];
  const list = (items: readonly number[]) =>
    errorsOfEach(items, (item) => (item < 0 ? [fieldErrors.required(`${item}`)] : []));
  const check = () =>
    errorsOfEach([[1, -2, -3], [4, 5], [-6]], (items) =>
      noteErrors(list(items), (errors) => noted.push([items.length, errors.length])),
    );
  expect(finish(completeErrors(postponeErrors(check, share)))).toHaveLength(3);
  expect(noted).toEqual([
    [3, 2],
    [2, 0],
    [1, 1],
  ]);
});

it('a check within another one has the same share', () => {
  const check = () => errorsOfEach([1, 2, 3], () => [fieldErrors.required('a')]);
  const found = postponeErrors(() => [...postponeErrors(check), ...check()], 2);
  expect(found).toHaveLength(4);
  expect(finish(completeErrors(found))).toHaveLength(6);
});

it('errors that are reported twice are found once', () => {
  const errors = [fieldErrors.required('a')];
  const found = postponeErrors(() => errorsOfEach([1], () => errors), 0);
  expect(finish(completeErrors([...found, ...found]))).toEqual([...errors, ...errors]);
});

it('lists are checked at once after a check that threw an error', () => {
  const fail = (): never => {
    throw new RangeError('a');
  };
  expect(() => postponeErrors(fail, 0)).toThrow(RangeError);
  expect(errorsOfEach([1], () => [fieldErrors.required('a')])).toEqual([fieldErrors.required('a')]);
});

it('passes end when there are more errors than a report has', () => {
  let checked = 0;
  const list = () =>
    errorsOfEach(Array.from({ length: 5000 }), (_item, index) => {
      checked++;
      return [fieldErrors.required(`items[${index}]`)];
    });
  const found = finish(completeErrors(postponeErrors(() => [...list(), ...list(), ...list()], 10)));
  expect(checked).toBeLessThan(2 * maxFieldErrors);
  expect(fieldErrorsText(found)).toBe(fieldErrorsText([...list(), ...list(), ...list()]));
});
