import { decodeYaml, type JsonValue } from '@annex/machinery';
import type { FieldReader } from '../field-reader.ts';
import type { StageStep } from './stage.ts';

const patchTypes = ['json', 'merge', 'strategic'] as const;

/** Reads the actions of a stage of KWOK: those of `next`, in KWOK's order, and those of `steps`. */
export function readSteps(spec: FieldReader): StageStep[] {
  const next = spec.object('next');
  const steps = spec.objects('steps');
  if (next === undefined && steps.length === 0) spec.report('next', 'or steps, or transition, is required');
  return [...(next === undefined ? [] : readNext(next)), ...steps.flatMap(readStep)];
}

function readNext(next: FieldReader): StageStep[] {
  const steps = [...readEvent(next), ...readFinalizers(next)];
  const template = next.text('statusTemplate');
  if (next.text('statusSubresource') !== undefined && next.text('statusSubresource') !== 'status')
    next.report('statusSubresource', 'must be status');
  if (template !== undefined)
    steps.push(patchStep(next, 'statusTemplate', { template, subresource: 'status', root: 'status' }));
  steps.push(...next.objects('patches').map(readPatch), ...readDelete(next));
  next.end();
  return steps;
}

function readStep(step: FieldReader): StageStep[] {
  const patch = step.object('patch');
  const steps = [
    ...(patch === undefined ? [] : [readPatch(patch)]),
    ...readEvent(step),
    ...readFinalizers(step),
    ...readDelete(step),
  ];
  step.end();
  return steps;
}

function readEvent(fields: FieldReader): StageStep[] {
  const event = fields.object('event');
  if (event === undefined) return [];
  const [type = 'Normal', reason = '', message = ''] = ['type', 'reason', 'message'].map((name) =>
    event.text(name),
  );
  event.end();
  return [{ event: { type, reason, message } }];
}

function readFinalizers(fields: FieldReader): StageStep[] {
  const finalizers = fields.object('finalizers');
  if (finalizers === undefined) return [];
  const [add, remove] = ['add', 'remove'].map((name) =>
    finalizers.objects(name).map((item) => {
      const value = item.text('value') ?? '';
      item.end();
      return value;
    }),
  );
  const empty = finalizers.bool('empty') ?? false;
  finalizers.end();
  return [{ finalizers: { add: add ?? [], remove: new Set(remove), empty } }];
}

const readDelete = (fields: FieldReader): StageStep[] => (fields.bool('delete') ? [{ delete: true }] : []);

function readPatch(patch: FieldReader): StageStep {
  const step = patchStep(patch, 'template', {
    template: patch.text('template') ?? '',
    subresource: patch.text('subresource') ?? '',
    root: patch.text('root') ?? '',
    type: patch.text('type'),
  });
  patch.end();
  return step;
}

interface PatchFields {
  template: string;
  subresource: string;
  root: string;
  type?: string | undefined;
}

function patchStep(
  fields: FieldReader,
  name: string,
  { template, subresource, root, type }: PatchFields,
): StageStep {
  const known = patchTypes.find((one) => one === (type ?? 'merge'));
  if (known === undefined) fields.report('type', `must be one of ${patchTypes.join(', ')}`);
  if (template.includes('{{')) fields.report(name, 'actions of templates, {{…}}, are not supported');
  return {
    patch: {
      subresource,
      type: known ?? 'merge',
      async body() {
        const { value } = await decodeYaml(template);
        return root === '' ? value : ({ [root]: value } as JsonValue);
      },
    },
  };
}
