import { isBuiltin } from 'node:module';

const prefix = '\0builtin:';
const identifier = /^[A-Za-z_$][\w$]*$/;

/**
 * A plugin that replaces import statements of Node's own modules. Such an import reads every property of the module once, and some of
 * them load other modules when they are read: that of `node:http` loads undici. The replacement reads only the names that are used.
 */
export function builtinModules() {
  return {
    name: 'builtin-modules',
    resolveId(source, _importer, { kind }) {
      if (kind !== 'import-statement' || !isBuiltin(source)) return null;
      return { id: prefix + source, moduleSideEffects: false };
    },
    load: (id) => (id.startsWith(prefix) ? { code: readsOf(id.slice(prefix.length)) } : null),
  };
}

function readsOf(module) {
  const names = Object.keys(process.getBuiltinModule(module)).filter(
    (name) => identifier.test(name) && name !== 'default',
  );
  // The module exports names such as `read` and `module`.
  return [
    `const builtin_ = process.getBuiltinModule('${module}');`,
    'const property_ = (name) => builtin_[name];',
    'export default builtin_;',
    ...names.map((name) => `const ${name}_ = /* @__PURE__ */ property_('${name}');`),
    `export { ${names.map((name) => `${name}_ as ${name}`).join(', ')} };`,
  ].join('\n');
}
