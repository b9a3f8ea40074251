import { isObject } from '@annex/machinery';
import { genericCells, recordedColumns, type TableColumn } from '@annex/kinds';

const replicas = (part: unknown): unknown => (isObject(part) ? part.replicas : undefined);

type ColumnTexts = Readonly<Record<'Desired' | 'Available', string>>;

// kube-apiserver prints Scales of built-in kinds and of custom resources differently, and omits zero in JSON.
const builtinTexts: ColumnTexts = {
  Desired: 'replicas is the desired number of instances for the scaled object.',
  Available: 'replicas is the actual number of observed instances of the scaled object.',
};
const customTexts: ColumnTexts = {
  Desired: 'Number of desired replicas',
  Available: 'Number of actual replicas',
};

function makeColumns(isCustom: boolean): TableColumn[] {
  const words = isCustom ? customTexts : builtinTexts;
  const absent = isCustom ? null : 0;
  const number = (name: keyof ColumnTexts, cell: TableColumn['cell']): TableColumn => ({
    name,
    type: 'integer',
    format: '',
    description: words[name],
    priority: 0,
    cell,
  });
  const [name, , age] = recordedColumns('v1', 'configmaps');
  if (name === undefined || age === undefined) throw new Error('the columns of configmaps are not recorded');
  return [
    { ...name, format: isCustom ? 'name' : '', cell: genericCells.Name ?? (() => '') },
    number('Desired', (scale) => replicas(scale.spec) ?? absent),
    number('Available', (scale) => replicas(scale.status) ?? absent),
    { ...age, type: isCustom ? 'date' : 'string', cell: genericCells.Age ?? (() => '') },
  ];
}

const made = new Map<boolean, readonly TableColumn[]>();

/**
 * Returns the columns of `autoscaling/v1` Scale, which exists only as a subresource. Built at the first call.
 */
export function scaleColumns(isCustom: boolean): readonly TableColumn[] {
  let columns = made.get(isCustom);
  if (columns === undefined) made.set(isCustom, (columns = makeColumns(isCustom)));
  return columns;
}
