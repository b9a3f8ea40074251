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

/** The promises of the example, in addition to those of every extension API server. */
export function greetingPromises(registered: () => Registration): void {
  const create = (text: string) => registered().admin.run(['create', '-f', '-'], text);

  describe('its definition', () => {
    it('sets defaults and server-side fields, and prints its columns', async () => {
      await create(greeting('moon', { name: 'Moon' }, { status: { text: 'Go away!' } }));
      const table = await registered().admin.ok(['get', 'hi', 'moon']);
      expect(table).toMatch(/^NAME +LANGUAGE +TEXT +AGE\nmoon +en +Hello, Moon! +\d+s\n$/);
    });

    it('rejects objects that violate its schema, and reports all errors', async () => {
      expect((await create(greeting('pluto', { name: '', language: 'la' }))).text).toBe(
        [
          'The Greeting "pluto" is invalid: ',
          '* spec.name: Invalid value: "": spec.name in body should be at least 1 chars long',
          '* spec.language: Unsupported value: "la": supported values: "en", "de", "fr"\n',
        ].join('\n'),
      );
    });

    it('rejects an object without required fields, before the functions of the resource are called', async () => {
      const empty = {
        apiVersion: 'hello.example.com/v1alpha1',
        kind: 'Greeting',
        metadata: { name: 'void' },
      };
      expect((await create(JSON.stringify(empty))).text).toBe(
        'The Greeting "void" is invalid: spec: Required value\n',
      );
    });

    it('rejects unknown fields if the client requests strict validation', async () => {
      expect((await create(greeting('pluto', { name: 'Pluto', volume: 11 }))).text).toContain(
        'strict decoding error: unknown field "spec.volume"',
      );
    });

    it('rejects objects that violate its validation functions', async () => {
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

    it('supports its selectable fields', async () => {
      const { admin } = registered();
      await create(greeting('luna', { name: 'Luna', language: 'fr' }));
      const names = ['get', 'hi', '-o', 'name', '--field-selector'];
      expect(await admin.ok([...names, 'spec.language=fr'])).toBe('greeting.hello.example.com/luna\n');
      expect((await admin.run([...names, 'spec.name=Luna'])).text).toContain(
        'field label not supported: spec.name',
      );
    });

    it('has a status subresource', async () => {
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
    it('serves only probes without credentials', async () => {
      const ask = (path: string) => registered().askExtension(path);
      expect(await ask('/readyz')).toEqual({ status: 200, text: 'ok' });
      expect(await ask('/livez')).toEqual({ status: 200, text: 'ok' });
      expect((await ask('/metrics')).status).toBe(403);
      expect((await ask('/openapi/v3')).status).toBe(403);
    });
  });
}
