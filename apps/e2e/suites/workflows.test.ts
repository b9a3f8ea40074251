import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';

const root = new URL('../../../', import.meta.url);
const textOf = (path: string) => readFileSync(new URL(path, root), 'utf8');
const { parseWorkflow, parseAction, trace } = await loadParser();

/** GitHub's own parser. It imports its schemas as bundlers do, without the attribute that Node requires. */
async function loadParser() {
  const hooks = registerHooks({
    load: (url, context, next) =>
      next(url, url.endsWith('.json') ? { ...context, importAttributes: { type: 'json' } } : context),
  });
  const workflows = await import('@actions/workflow-parser');
  const actions = await import('@actions/workflow-parser/actions/action-parser');
  hooks.deregister();
  return { ...workflows, ...actions, trace: new workflows.NoOperationTraceWriter() };
}

const messagesOf = ({ context }: { context: { errors: { getErrors(): { message: string }[] } } }) =>
  context.errors.getErrors().map(({ message }) => message);

describe('workflows', () => {
  const folder = '.github/workflows/';
  const guide = [...textOf('docs/guides/use-annex-in-your-project.md').matchAll(/^```yaml\n([\s\S]*?)^```/gm)]
    .map(([, text = '']) => text)
    .filter((text) => /^jobs:/m.test(text));
  it.each([
    ...readdirSync(new URL(folder, root)).map((name) => [name, textOf(folder + name)]),
    ...guide.map((text, i) => [`workflow ${i + 1} of the guide`, text]),
  ])('%s is valid', (name = '', content = '') => {
    expect(messagesOf(parseWorkflow({ name, content }, trace))).toEqual([]);
  });

  it('the parser reports errors', () => {
    const content = 'on: push\njobs: { a: { runs-on: ubuntu-latest, step: [] } }\n';
    expect(messagesOf(parseWorkflow({ name: 'a.yml', content }, trace))).not.toEqual([]);
  });
});

describe('the action', () => {
  const content = textOf('deploy/action/action.yml');
  const { inputs, outputs, runs } = parse(content) as {
    inputs: Record<string, unknown>;
    outputs: Record<string, unknown>;
    runs: { main: string; post: string };
  };
  const main = textOf(`deploy/action/${runs.main}`);

  it('is valid', () => {
    expect(messagesOf(parseAction({ name: 'action.yml', content }, trace))).toEqual([]);
    expect(existsSync(new URL(`deploy/action/${runs.post}`, root))).toBe(true);
  });

  it('reads its inputs and sets its outputs', () => {
    const read = [...main.matchAll(/INPUT_(\w+)/g)].map(([, name = '']) => name.toLowerCase());
    expect([...new Set(read)].sort()).toEqual(Object.keys(inputs).sort());
    const set = /GITHUB_OUTPUT, `([^`]*)`/.exec(main)?.[1] ?? '';
    expect([...set.matchAll(/(?:^|\\n)(\w+)=/g)].map(([, name]) => name)).toEqual(Object.keys(outputs));
  });
});
