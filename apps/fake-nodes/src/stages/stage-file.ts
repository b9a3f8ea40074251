import { isObject, type JsonObject, type KubeObject } from '@annex/machinery';
import { FieldReader } from '../field-reader.ts';
import { readDelay, readFrom } from './stage-delay.ts';
import { readSelector } from './stage-selector.ts';
import { readSteps } from './stage-steps.ts';
import {
  type PatchStage,
  podTransitions,
  type Stage,
  type StageFailure,
  type Stages,
  type Transition,
} from './stage.ts';

/** The version of files of Annex. */
export const fileVersion = 'annex/v1alpha1';

const kwokVersion = 'kwok.x-k8s.io/v1alpha1';

/** Stages of a process. */
export const maxStages = 1000;

/** Compiles the documents of stage files. Appends the errors with the path of each field. */
export function readStages(documents: readonly JsonObject[], errors: string[]): Stages {
  if (documents.length > maxStages) errors.push(`there are more than ${maxStages} stages`);
  const stages = documents.slice(0, maxStages).map((document) => readStage(document, errors));
  return {
    transitions: stages.filter((stage) => 'transition' in stage),
    patches: stages.filter((stage): stage is PatchStage => 'steps' in stage),
  };
}

function readStage(document: JsonObject, errors: string[]): Stage {
  const metadata = isObject(document.metadata) ? document.metadata : {};
  const name = String(metadata.name ?? '');
  const found: string[] = [];
  const fields = new FieldReader(document, '', found);
  fields.plain('metadata');
  fields.plain('status');
  const version = fields.text('apiVersion');
  const kind = fields.text('kind');
  if (kind !== 'Stage' || (version !== fileVersion && version !== kwokVersion))
    fields.report('kind', `must be a Stage of ${fileVersion} or ${kwokVersion}`);
  const spec = fields.object('spec') ?? new FieldReader({}, 'spec', found);
  fields.end();
  const stage = readSpec(name, spec);
  spec.end();
  errors.push(...found.map((problem) => `Stage ${JSON.stringify(name)}: ${problem}`));
  return stage;
}

function readSpec(name: string, spec: FieldReader): Stage {
  const kind = readKind(spec);
  const weightFrom = readFrom(spec.object('weightFrom'));
  const weight = spec.integer('weight') ?? 0;
  const base = {
    name,
    kind,
    matches: readSelector(spec.object('selector')),
    weight: (object: KubeObject) => finite(weightFrom(object)) ?? weight,
    delayMs: readDelay(spec.object('delay')),
  };
  // Every change is seen by the watch: there is nothing to hasten.
  spec.bool('immediateNextStage');
  if (!spec.has('transition')) return { ...base, steps: readSteps(spec) };
  const failure = readFailure(spec.object('failure'));
  const transition = readTransition(spec, kind);
  if (failure !== undefined && (transition === 'Restart' || transition === 'Heartbeat'))
    spec.report('failure', `is not supported for ${transition}`);
  return {
    ...base,
    transition,
    containers: new Set(spec.texts('containers')),
    hold: spec.bool('hold') ?? false,
    ...(failure === undefined ? {} : { failure }),
  };
}

const finite = (text: string | undefined): number | undefined => {
  const number = Number(text ?? NaN);
  return Number.isFinite(number) && number >= 0 ? number : undefined;
};

function readKind(spec: FieldReader): 'Pod' | 'Node' {
  const reference = spec.object('resourceRef');
  const group = reference?.text('apiGroup') ?? 'v1';
  const kind = reference?.text('kind');
  reference?.end();
  if (group === 'v1' && (kind === 'Pod' || kind === 'Node')) return kind;
  spec.report('resourceRef', 'must be a Pod or a Node of v1');
  return 'Pod';
}

function readTransition(spec: FieldReader, kind: 'Pod' | 'Node'): Transition {
  const text = spec.text('transition');
  const known: readonly Transition[] = kind === 'Pod' ? podTransitions : ['Heartbeat'];
  const found = known.find((one) => one === text);
  if (found !== undefined) return found;
  spec.report('transition', `of a ${kind} must be one of ${known.join(', ')}`);
  return known[0] as Transition;
}

function readFailure(fields: FieldReader | undefined): StageFailure | undefined {
  if (fields === undefined) return undefined;
  const [reason, message] = [fields.text('reason'), fields.text('message')];
  const exitCode = fields.integer('exitCode');
  if (exitCode !== undefined && exitCode > 255) fields.report('exitCode', 'must be at most 255');
  const failure = { times: fields.integer('times') ?? Infinity };
  fields.end();
  return {
    ...failure,
    ...(reason === undefined ? {} : { reason }),
    ...(message === undefined ? {} : { message }),
    ...(exitCode === undefined ? {} : { exitCode }),
  };
}
