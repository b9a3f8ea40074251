import type { CallCost } from '../costs/cost.ts';
import { addRanges, exactly, multiplyRanges, scaleRange } from '../costs/range.ts';
import { sizeOf } from '../costs/size.ts';
import type { Library } from '../functions/library.ts';
import { declare, overload } from '../typing/declare.ts';
import type { FunctionDeclaration } from '../typing/declarations.ts';
import { listType, typeParam, types } from '../typing/type.ts';
import { elements } from '../values/container.ts';
import type { ListValue, Value } from '../values/value.ts';
import { ValueSet } from '../values/value-set.ts';

const list = listType(typeParam('T'));
type List = readonly Value[] | ListValue;

/** The cost of comparing each element of one list with each element of the other, `times` times. */
function comparisons(times: number): CallCost {
  return {
    estimate({ args: [a, b], size }) {
      return { cost: addRanges(exactly(1), scaleRange(multiplyRanges(size(a!), size(b!)), times)) };
    },
    actual: ([a, b]) => 1 + sizeOf(a!) * sizeOf(b!) * times,
  };
}

function relation(name: string, times: number, holds: (a: List, b: List) => boolean): FunctionDeclaration {
  return declare(
    `sets.${name}`,
    overload(`list_sets_${name}_list`, [list, list], types.bool, holds, comparisons(times)),
  );
}

/** Set operations on lists: https://github.com/google/cel-go/blob/master/ext/README.md#sets */
export const setsLibrary: Library = {
  name: 'sets',
  functions: [
    relation('contains', 1, contains),
    relation('equivalent', 2, (a, b) => contains(a, b) && contains(b, a)),
    relation('intersects', 1, (a, b) => {
      const set = new ValueSet(elements(b));
      return elements(a).some((element) => set.has(element));
    }),
  ],
};

function contains(list: List, sublist: List): boolean {
  const set = new ValueSet(elements(list));
  return elements(sublist).every((element) => set.has(element));
}
