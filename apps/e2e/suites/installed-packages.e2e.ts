import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { requireTools, startProcess, tempFolder } from '@annex/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runCommand } from './command.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const built = join(root, 'dist', 'packages');
const names = ['annex', '@annex/sdk', '@annex/testing', '@annex/client', '@annex/cel'];

describe.skipIf(!requireTools('the packages for npm', 'npm'))(
  'the packages, installed in an empty folder',
  () => {
    const folder = tempFolder('annex-installed-');
    afterAll(() => folder[Symbol.dispose]());

    const run = (command: string, args: readonly string[]) =>
      runCommand(command, args, { cwd: folder.path, env: process.env, timeout: 300_000 });
    const runNode = (file: string, text: string) => {
      writeFileSync(join(folder.path, file), text);
      return run(process.execPath, [file]);
    };

    beforeAll(async () => {
      const tarballs = join(folder.path, 'tarballs');
      mkdirSync(tarballs);
      const folders = names.map((name) => join(built, name));
      expect(await run('npm', ['pack', ...folders, '--pack-destination', tarballs])).toMatchObject({
        code: 0,
      });
      writeFileSync(join(folder.path, 'package.json'), '{ "private": true }\n');
      const files = readdirSync(tarballs).map((file) => join(tarballs, file));
      const args = ['install', '--no-audit', '--no-fund', '--prefer-offline', ...files];
      const { code, text } = await run('npm', args);
      expect(code, text).toBe(0);
    });

    it('annex up serves requests', async () => {
      const args = [
        join('node_modules', '.bin', 'annex'),
        'up',
        '--data-dir=data',
        '--port=0',
        '--controllers=',
      ];
      const annex = await startProcess(process.execPath, { args, cwd: folder.path, until: /annex is ready/ });
      expect(await annex.stop('SIGTERM')).toBe(0);
    });

    it('an ES module starts Annex in a test', async () => {
      const { code, text } = await runNode(
        'test.mjs',
        `import { startAnnex } from '@annex/testing';
       const annex = await startAnnex();
       await annex.admin.apply('{apiVersion: v1, kind: Namespace, metadata: {name: made}}');
       await annex.stop();
       console.log('done');`,
      );
      expect({ code, text: text.trim() }).toEqual({ code: 0, text: 'done' });
    });

    it('a CommonJS module starts Annex with an extension API server', async () => {
      const { code, text } = await runNode(
        'test.cjs',
        `const { startAnnex } = require('@annex/testing');
       const { StatusError } = require('@annex/sdk');
       const testing = require('@annex/testing');
       (async () => {
         const annex = await startAnnex();
         await annex.stop();
         console.log(StatusError === testing.StatusError);
       })();`,
      );
      expect({ code, text: text.trim() }).toEqual({ code: 0, text: 'true' });
    });

    it('the client and the CEL engine stand alone', async () => {
      const { code, text } = await runNode(
        'alone.mjs',
        `import { Client } from '@annex/client';
       import * as cel from '@annex/cel';
       console.log(typeof Client, Object.keys(cel).length > 5);`,
      );
      expect({ code, text: text.trim() }).toEqual({ code: 0, text: 'function true' });
    });

    it('TypeScript accepts the declarations without skipLibCheck', async () => {
      const compilerOptions = {
        strict: true,
        skipLibCheck: false,
        noEmit: true,
        module: 'nodenext',
        target: 'es2022',
        types: ['node'],
        typeRoots: [join(root, 'node_modules', '@types')],
      };
      writeFileSync(
        join(folder.path, 'tsconfig.json'),
        JSON.stringify({ compilerOptions, files: ['types.mts'] }),
      );
      writeFileSync(
        join(folder.path, 'types.mts'),
        `import { startAnnex, type TestAnnex } from '@annex/testing';
       import { defineResource } from '@annex/sdk';
       import { Client } from '@annex/client';
       import * as cel from '@annex/cel';
       const annex: TestAnnex = await startAnnex();
       console.log(annex, defineResource, Client, cel);`,
      );
      const { code, text } = await run(process.execPath, [
        join(root, 'node_modules', 'typescript', 'bin', 'tsc'),
        '-p',
        '.',
      ]);
      expect(code, text).toBe(0);
    });
  },
);
