import { describe, expect, it } from 'vitest';
import type { Registration } from './registration.ts';

const greeting = (name: string, spec: Record<string, unknown>, more: Record<string, unknown> = {}): string =>
  JSON.stringify({
    apiVersion: 'hello.example.com/v1alpha1',
    kind: 'Greeting',
    metadata: { name },
    spec,
    ...more,
  });

/** What the example promises beside what every extension API server does. */
export function greetingPromises(registered: () => Registration): void {
  const create = (text: string) => registered().admin.run(['create', '-f', '-'], text);

  describe('its definition', () => {
    it('sets defaults, fills in what the server decides, and prints its columns', async () => {
      await create(greeting('moon', { name: 'Moon' }, { status: { text: 'Go away!' } }));
      const table = await registered().admin.ok(['get', 'hi', 'moon']);
      expect(table).toMatch(/^NAME +LANGUAGE +TEXT +AGE\nmoon +en +Hello, Moon! +\d+s\n$/);
    });

    it('refuses what its schema forbids, with every mistake at once', async () => {
      expect((await create(greeting('pluto', { name: '', language: 'la' }))).text).toBe(
        [
          'The Greeting "pluto" is invalid: ',
          '* spec.name: Invalid value: "": spec.name in body should be at least 1 chars long',
          '* spec.language: Unsupported value: "la": supported values: "en", "de", "fr"\n',
        ].join('\n'),
      );
    });

    it('refuses an object without what it needs, before any function of the definition sees it', async () => {
      const empty = {
        apiVersion: 'hello.example.com/v1alpha1',
        kind: 'Greeting',
        metadata: { name: 'void' },
      };
      expect((await create(JSON.stringify(empty))).text).toBe(
        'The Greeting "void" is invalid: spec: Required value\n',
      );
    });

    it('refuses fields that its schema does not name, where the client asks for it', async () => {
      expect((await create(greeting('pluto', { name: 'Pluto', volume: 11 }))).text).toContain(
        'strict decoding error: unknown field "spec.volume"',
      );
    });

    it('refuses what its own rules forbid', async () => {
      const { admin } = registered();
      const patch = await admin.run([
        'patch',
        'hi',
        'moon',
        '--type=merge',
        '-p',
        '{"spec":{"name":"Mars"}}',
      ]);
      expect(patch.text).toBe(
        'The Greeting "moon" is invalid: spec.name: Forbidden: the name cannot be changed\n',
      );
    });

    it('selects by its own fields', async () => {
      const { admin } = registered();
      await create(greeting('luna', { name: 'Luna', language: 'fr' }));
      const names = ['get', 'hi', '-o', 'name', '--field-selector'];
      expect(await admin.ok([...names, 'spec.language=fr'])).toBe('greeting.hello.example.com/luna\n');
      expect((await admin.run([...names, 'spec.name=Luna'])).text).toContain(
        'field label not supported: spec.name',
      );
    });

    it('has a status of its own', async () => {
      const { admin } = registered();
      const written = await admin.ok([
        ...[
          'patch',
          'hi',
          'moon',
          '--subresource=status',
          '--type=merge',
          '-o',
          'jsonpath={.spec.language} {.status}',
        ],
        ...['-p', '{"spec":{"language":"de"},"status":{"text":"Hush!"}}'],
      ]);
      expect(written).toBe('en {"text":"Hush!"}');
      await admin.ok(['delete', 'hi', '--all']);
    });
  });

  describe('its process', () => {
    it('answers probes without credentials, and nothing else', async () => {
      const ask = (path: string) => registered().askExtension(path);
      expect(await ask('/readyz')).toEqual({ status: 200, text: 'ok' });
      expect(await ask('/livez')).toEqual({ status: 200, text: 'ok' });
      expect((await ask('/metrics')).status).toBe(403);
      expect((await ask('/openapi/v3')).status).toBe(403);
    });
  });
}
