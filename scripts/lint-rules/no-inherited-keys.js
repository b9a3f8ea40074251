// Rejects lookups by a computed name that may find inherited members: `table['constructor']`, `'toString' in table`. It reads types, so it is
// no rule of oxlint. Decision 0014 lists the alternatives.
import ts from 'typescript';
import { isKnownOwn, isNamed, plain } from './own-names.js';

const inherited = new Set(Object.getOwnPropertyNames(Object.prototype));

const messages = {
  read: 'This may find inherited members: use a Map, getOwn(), or test Object.hasOwn() first.',
  write: 'This may set the prototype: use a Map, setOwn(), or a literal with a computed key.',
  has: '`in` finds inherited members: use a Map, a Set, or Object.hasOwn().',
  assign: 'Object.assign() may set the prototype: copy with a spread, or setOwn() each member.',
  reflect: 'Reflect finds inherited members: use getOwn().',
  cast: '`as keyof` is not a check: a name that was not looked up is not a key.',
  unused: 'This comment permits nothing.',
};

/** Permits the lookups of the next line. */
const permission = /^\s*\/\/ permitted: no-inherited-keys, .+/;

/** Returns the errors of a source file: their lines and columns, from 1, and messages. */
export function inheritedKeyErrors(checker, file) {
  const lines = file.text.split('\n');
  const permitted = new Set(lines.flatMap((line, i) => (permission.test(line) ? [i + 1] : [])));
  const unused = new Set(permitted);
  const errors = [];
  const visit = (node) => {
    const found = errorOf(checker, node);
    if (found !== undefined) {
      const { line, character } = file.getLineAndCharacterOfPosition(node.getStart(file));
      if (permitted.has(line)) unused.delete(line);
      else errors.push({ line: line + 1, column: character + 1, message: messages[found] });
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  for (const line of unused) errors.push({ line, column: 1, message: messages.unused });
  return errors;
}

/** Returns the name of the message about a node; undefined if it is safe. */
function errorOf(checker, node) {
  switch (node.kind) {
    case ts.SyntaxKind.ElementAccessExpression:
      return elementError(checker, node);
    case ts.SyntaxKind.PropertyAccessExpression:
      return inherited.has(node.name.text) &&
        !isBare(checker, node.expression) &&
        isOpen(checker, node.expression)
        ? 'read'
        : undefined;
    case ts.SyntaxKind.BinaryExpression:
      return inError(checker, node);
    case ts.SyntaxKind.ComputedPropertyName:
      return isPatternKey(node) && !isSafeKey(checker, node.expression) ? 'read' : undefined;
    case ts.SyntaxKind.CallExpression:
      return callError(checker, node);
    case ts.SyntaxKind.AsExpression:
      return ts.isTypeOperatorNode(node.type) && node.type.operator === ts.SyntaxKind.KeyOfKeyword
        ? 'cast'
        : undefined;
    default:
      return undefined;
  }
}

function elementError(checker, node) {
  const { expression: object, argumentExpression: key } = node;
  if (ts.isLiteralExpression(key) && !ts.isNoSubstitutionTemplateLiteral(key)) return undefined;
  if (ts.isDeleteExpression(node.parent) || isSafeKey(checker, key) || isBare(checker, object))
    return undefined;
  if (isKnownOwn(node, object, key)) return undefined;
  return isTarget(node) ? 'write' : 'read';
}

function inError(checker, { left, operatorToken, right }) {
  if (operatorToken.kind !== ts.SyntaxKind.InKeyword || ts.isPrivateIdentifier(left)) return undefined;
  return isSafeKey(checker, left) || isBare(checker, right) ? undefined : 'has';
}

function callError(checker, { expression: callee, arguments: args }) {
  if (!ts.isPropertyAccessExpression(callee)) return undefined;
  if (isNamed(callee.expression, 'Reflect'))
    return args.length > 1 && !isSafeKey(checker, args[1]) ? 'reflect' : undefined;
  const assigns = isNamed(callee.expression, 'Object') && callee.name.text === 'assign';
  return assigns && args.slice(1).some((source) => isOpen(checker, source)) ? 'assign' : undefined;
}

/** Returns the constituents of the type of a node. */
function constituents(checker, node) {
  const type = checker.getTypeAtLocation(node);
  const bound = checker.getBaseConstraintOfType(type) ?? type;
  return bound.isUnion() ? bound.types : [bound];
}

/** True for numbers, symbols and literal names, which do not come from input. */
const isSafeKeyType = (checker, node) =>
  constituents(checker, node).every(
    (one) =>
      (one.flags & (ts.TypeFlags.NumberLike | ts.TypeFlags.BigIntLike | ts.TypeFlags.ESSymbolLike)) !== 0 ||
      (one.isStringLiteral() && !inherited.has(one.value)) ||
      (one.flags & (ts.TypeFlags.Never | ts.TypeFlags.Undefined)) !== 0,
  );

/** True for strings with a character that no inherited name contains: `x.y`, `a/b`. */
function hasOddSign(node) {
  if (ts.isTemplateExpression(node))
    return [node.head, ...node.templateSpans.map(({ literal }) => literal)].some(({ text }) =>
      /[^A-Za-z_]/.test(text),
    );
  if (ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.PlusToken)
    return hasOddSign(node.left) || hasOddSign(node.right);
  return ts.isStringLiteralLike(node) && /[^A-Za-z_]/.test(node.text);
}

const isSafeKey = (checker, key) =>
  hasOddSign(key) || (!ts.isAsExpression(key) && isSafeKeyType(checker, key));

/** True for variables that are created with `Object.create(null)`. */
function isBare(checker, node) {
  if (!ts.isIdentifier(node)) return false;
  const declarations = checker.getSymbolAtLocation(node)?.declarations ?? [];
  const [made] = declarations;
  if (declarations.length !== 1 || !ts.isVariableDeclaration(made) || made.initializer === undefined)
    return false;
  return /^Object\.create\(null\)( as \w+)?$/.test(made.initializer.getText());
}

/** True for objects of any type, and for those with names that no type lists. */
const isOpen = (checker, node) =>
  constituents(checker, node).some(
    (one) =>
      (one.flags & (ts.TypeFlags.Any | ts.TypeFlags.Unknown | ts.TypeFlags.NonPrimitive)) !== 0 ||
      checker.getIndexInfoOfType(one, ts.IndexKind.String) !== undefined,
  );

const isAssignment = ({ kind }) =>
  kind >= ts.SyntaxKind.FirstAssignment && kind <= ts.SyntaxKind.LastAssignment;

/** True if a member is assigned. */
function isTarget(node) {
  const { parent } = node;
  if (ts.isBinaryExpression(parent)) return parent.left === node && isAssignment(parent.operatorToken);
  return plain(parent) !== parent && isTarget(parent);
}

/** True for `key` of `const { [key]: value } = object`, and of an assignment to such a pattern. */
function isPatternKey({ parent }) {
  if (ts.isBindingElement(parent)) return true;
  if (!ts.isPropertyAssignment(parent)) return false;
  let pattern = parent.parent;
  while (ts.isPropertyAssignment(pattern.parent) && pattern.parent.initializer === pattern)
    pattern = pattern.parent.parent;
  return isTarget(pattern);
}
