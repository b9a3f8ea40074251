// Rejects lookups by a computed name that may find inherited members: `table['constructor']`, `'toString' in table`.
// Decision 0014 lists the alternatives.
import { ASTUtils, ESLintUtils } from '@typescript-eslint/utils';
import ts from 'typescript';
import { isKnownOwn } from './own-names.js';

const inherited = new Set(Object.getOwnPropertyNames(Object.prototype));

const messages = {
  read: 'This may find inherited members: use a Map, getOwn(), or test Object.hasOwn() first.',
  write: 'This may set the prototype: use a Map, setOwn(), or a literal with a computed key.',
  has: '`in` finds inherited members: use a Map, a Set, or Object.hasOwn().',
  assign: 'Object.assign() may set the prototype: copy with a spread, or setOwn() each member.',
  reflect: 'Reflect finds inherited members: use getOwn().',
  cast: '`as keyof` is not a check: a name that was not looked up is not a key.',
};

/** Returns the constituents of a type. */
function constituents(checker, type) {
  const bound = checker.getBaseConstraintOfType(type) ?? type;
  return bound.isUnion() ? bound.types : [bound];
}

/** True for numbers, symbols and literal names, which do not come from input. */
function isSafeKeyType(checker, type) {
  return constituents(checker, type).every(
    (one) =>
      (one.flags & (ts.TypeFlags.NumberLike | ts.TypeFlags.BigIntLike | ts.TypeFlags.ESSymbolLike)) !== 0 ||
      (one.isStringLiteral() && !inherited.has(one.value)) ||
      (one.flags & (ts.TypeFlags.Never | ts.TypeFlags.Undefined)) !== 0,
  );
}

/** True for strings with a character that no inherited name contains: `x.y`, `a/b`. */
function hasOddSign(node) {
  if (node.type === 'TemplateLiteral') return node.quasis.some(({ value }) => /[^A-Za-z_]/.test(value.raw));
  if (node.type === 'BinaryExpression' && node.operator === '+')
    return [node.left, node.right].some(hasOddSign);
  return node.type === 'Literal' && typeof node.value === 'string' && /[^A-Za-z_]/.test(node.value);
}

/** True if a member is assigned. */
function isTarget(node) {
  const { parent } = node;
  if (parent.type === 'AssignmentExpression') return parent.left === node;
  if (parent.type === 'TSAsExpression' || parent.type === 'TSNonNullExpression') return isTarget(parent);
  return false;
}

const isDeleted = ({ parent }) => parent.type === 'UnaryExpression' && parent.operator === 'delete';

export const noInheritedKeys = ESLintUtils.RuleCreator.withoutDocs({
  meta: { type: 'problem', messages, schema: [] },
  defaultOptions: [],
  create(context) {
    const services = ESLintUtils.getParserServices(context);
    const checker = services.program.getTypeChecker();
    const typeOf = (node) => services.getTypeAtLocation(node);

    /** True for variables that this file creates with `Object.create(null)`. */
    const isBare = (node) => {
      if (node.type !== 'Identifier') return false;
      const variable = ASTUtils.findVariable(context.sourceCode.getScope(node), node);
      const made =
        variable?.defs.length === 1 && variable.defs[0].type === 'Variable' && variable.defs[0].node.init;
      return Boolean(made) && /^Object\.create\(null\)( as \w+)?$/.test(context.sourceCode.getText(made));
    };

    /** True for objects of any type, and for those with names that no type lists. */
    const isOpen = (node) =>
      constituents(checker, typeOf(node)).some(
        (one) =>
          (one.flags & (ts.TypeFlags.Any | ts.TypeFlags.Unknown | ts.TypeFlags.NonPrimitive)) !== 0 ||
          checker.getIndexInfoOfType(one, ts.IndexKind.String) !== undefined,
      );

    const isSafeKey = (key) =>
      hasOddSign(key) || (key.type !== 'TSAsExpression' && isSafeKeyType(checker, typeOf(key)));

    return {
      'MemberExpression[computed=true]'(node) {
        if (node.property.type === 'Literal') return;
        if (isDeleted(node) || isSafeKey(node.property) || isBare(node.object)) return;
        if (isKnownOwn(node, node.object, node.property, context.sourceCode)) return;
        context.report({ node, messageId: isTarget(node) ? 'write' : 'read' });
      },
      'MemberExpression[computed=false]'({ object, property }) {
        if (property.type !== 'Identifier' || !inherited.has(property.name)) return;
        if (isBare(object) || !isOpen(object)) return;
        context.report({ node: property, messageId: 'read' });
      },
      'BinaryExpression[operator="in"]'(node) {
        if (node.left.type === 'PrivateIdentifier' || isSafeKey(node.left) || isBare(node.right)) return;
        context.report({ node, messageId: 'has' });
      },
      'ObjectPattern > Property[computed=true]'(node) {
        if (!isSafeKey(node.key)) context.report({ node, messageId: 'read' });
      },
      'CallExpression[callee.object.name="Object"][callee.property.name="assign"]'(node) {
        const sources = node.arguments.slice(1);
        if (sources.some(isOpen)) context.report({ node, messageId: 'assign' });
      },
      'CallExpression[callee.object.name="Reflect"]'(node) {
        const [, key] = node.arguments;
        if (key !== undefined && !isSafeKey(key)) context.report({ node, messageId: 'reflect' });
      },
      'TSAsExpression > TSTypeOperator[operator="keyof"]'(node) {
        context.report({ node, messageId: 'cast' });
      },
    };
  },
});
