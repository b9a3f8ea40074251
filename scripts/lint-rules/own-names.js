// Finds checks that an object has a name: a guard, or a loop over its own names.
import ts from 'typescript';

/** Returns the expression without parentheses and types. */
export const plain = (node) =>
  ts.isAsExpression(node) || ts.isNonNullExpression(node) || ts.isParenthesizedExpression(node)
    ? plain(node.expression)
    : node;

/** True for the identifier with this name. */
export const isNamed = (node, name) => ts.isIdentifier(node) && node.text === name;

const isOperator = (node, kind) => ts.isBinaryExpression(node) && node.operatorToken.kind === kind;

/** Yields every part of a test that holds when the whole test has the truth value. */
function* facts(condition, truth) {
  const test = plain(condition);
  const { AmpersandAmpersandToken, BarBarToken, ExclamationToken } = ts.SyntaxKind;
  if (ts.isPrefixUnaryExpression(test) && test.operator === ExclamationToken)
    yield* facts(test.operand, !truth);
  else if (isOperator(test, truth ? AmpersandAmpersandToken : BarBarToken)) {
    yield* facts(test.left, truth);
    yield* facts(test.right, truth);
  } else if (truth) yield test;
}

/** True if what follows a statement runs only when the statement does not. */
function isLeft(statement) {
  if (ts.isBlock(statement)) return statement.statements.length > 0 && isLeft(statement.statements.at(-1));
  const { ReturnStatement, ContinueStatement, ThrowStatement, BreakStatement } = ts.SyntaxKind;
  return [ReturnStatement, ContinueStatement, ThrowStatement, BreakStatement].includes(statement.kind);
}

/** Yields the tests that hold at the position of `child` in `parent`. */
function* heldIn(parent, child) {
  if (ts.isIfStatement(parent)) {
    if (child === parent.thenStatement) yield* facts(parent.expression, true);
    if (child === parent.elseStatement) yield* facts(parent.expression, false);
  } else if (ts.isConditionalExpression(parent)) {
    if (child === parent.whenTrue) yield* facts(parent.condition, true);
    if (child === parent.whenFalse) yield* facts(parent.condition, false);
  } else if (isOperator(parent, ts.SyntaxKind.AmpersandAmpersandToken) && child === parent.right) {
    yield* facts(parent.left, true);
  } else if (isOperator(parent, ts.SyntaxKind.BarBarToken) && child === parent.right) {
    yield* facts(parent.left, false);
  } else if (Array.isArray(parent.statements)) {
    for (const before of parent.statements.slice(0, parent.statements.indexOf(child)))
      if (ts.isIfStatement(before) && isLeft(before.thenStatement)) yield* facts(before.expression, false);
  }
}

const isCallOf = (node, object, method) =>
  ts.isCallExpression(node) &&
  ts.isPropertyAccessExpression(node.expression) &&
  isNamed(node.expression.expression, object) &&
  node.expression.name.text === method;

/** Yields the objects whose own names an expression returns: `Object.keys(a)`, also `.filter(…)`, `.sort()`, `[...]` of it. */
function* ownNamesOf(node) {
  if (isCallOf(node, 'Object', 'keys')) yield node.arguments[0];
  else if (ts.isCallExpression(node) && ts.isPropertyAccessExpression(node.expression)) {
    if (/^(filter|sort|toSorted|toReversed|slice)$/.test(node.expression.name.text))
      yield* ownNamesOf(plain(node.expression.expression));
  }
}

/** Returns the list that a loop or a callback iterates over, if its variable is `name`. */
function iteratedBy(node, name) {
  if (ts.isForOfStatement(node) || ts.isForInStatement(node)) {
    const variable = ts.isVariableDeclarationList(node.initializer)
      ? node.initializer.declarations[0].name
      : undefined;
    return variable !== undefined && isNamed(variable, name) ? node.expression : undefined;
  }
  const first = ts.isArrowFunction(node) ? node.parameters[0] : undefined;
  if (first === undefined || !isNamed(first.name, name) || !ts.isCallExpression(node.parent))
    return undefined;
  const { expression: callee } = node.parent;
  return ts.isPropertyAccessExpression(callee) ? callee.expression : undefined;
}

/** True if `object` is known to have `key` as an own property. */
export function isKnownOwn(node, object, key) {
  const text = (part) => plain(part).getText();
  const [objectText, keyText] = [text(object), text(key)];
  for (let child = node; child.parent; child = child.parent) {
    for (const test of heldIn(child.parent, child)) {
      if (!isCallOf(test, 'Object', 'hasOwn')) continue;
      const [of, name] = test.arguments;
      if (text(of) === objectText && text(name) === keyText) return true;
    }
    const iterated = iteratedBy(child.parent, keyText);
    if (iterated === undefined) continue;
    // `for … in` visits enumerable names only, and Object.prototype has none.
    const owners = ts.isForInStatement(child.parent) ? [iterated] : [...ownNamesOf(plain(iterated))];
    return owners.some((owner) => text(owner) === objectText);
  }
  return false;
}
