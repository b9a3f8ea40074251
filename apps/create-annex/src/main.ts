import { basename, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { createProject, templates } from './create-project.ts';

const usage = `usage: npm create annex [FOLDER] [-- --template TEMPLATE]

templates:
${[...templates].map(([name, about]) => `  ${name.padEnd(18)} ${about}`).join('\n')}

FOLDER is created; if it exists, it must be empty. Default: the current folder.
`;

const otherTemplates = `
There are other templates: npm create annex --help lists them.
`;

/** The main function of `create-annex`. Returns the exit code: 0, 1 if the project cannot be written, 2 for invalid options. */
export function main(argv: readonly string[]): number {
  let parsed;
  try {
    parsed = parseArgs({
      args: [...argv],
      allowPositionals: true,
      options: {
        template: { type: 'string', short: 't' },
        help: { type: 'boolean', short: 'h', default: false },
      },
    });
  } catch (error) {
    return fail(`${(error as Error).message}\n\n${usage}`, 2);
  }
  const { values, positionals } = parsed;
  if (values.help) {
    process.stdout.write(usage);
    return 0;
  }
  // Without `--` before it, npm removes `--template` and leaves its value.
  const [folder = '.', given = values.template, ...more] = positionals;
  if (more.length > 0 || (values.template !== undefined && values.template !== given))
    return fail(`one folder is expected, not ${positionals.length}\n\n${usage}`, 2);
  const template = given ?? 'crd-tests';
  const about = templates.get(template);
  if (about === undefined) return fail(`there is no template ${JSON.stringify(template)}\n\n${usage}`, 2);
  try {
    createProject(resolve(folder), template);
  } catch (error) {
    return fail(`${(error as Error).message}\n`, 1);
  }
  const enter = folder === '.' ? '' : `  cd ${folder}\n`;
  process.stdout.write(
    `${basename(resolve(folder))} contains ${about}. Next:\n\n${enter}  npm install\n  npm test\n`,
  );
  if (given === undefined) process.stdout.write(otherTemplates);
  return 0;
}

function fail(text: string, code: number): number {
  process.stderr.write(`create-annex: ${text}`);
  return code;
}
