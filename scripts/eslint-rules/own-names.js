// Finds checks that an object has a name: a guard, or a loop over its own names.

const bodies = new Set(['BlockStatement', 'Program', 'SwitchCase']);
const leaves = new Set(['ReturnStatement', 'ContinueStatement', 'ThrowStatement', 'BreakStatement']);

/** Yields every part of a test that holds when the whole test has the truth value. */
function* facts(test, truth) {
  if (test.type === 'UnaryExpression' && test.operator === '!') yield* facts(test.argument, !truth);
  else if (test.type === 'LogicalExpression' && test.operator === (truth ? '&&' : '||')) {
    yield* facts(test.left, truth);
    yield* facts(test.right, truth);
  } else if (truth) yield test;
}

function isLeft(statement) {
  if (statement.type === 'BlockStatement') return isLeft(statement.body.at(-1) ?? statement.parent);
  return leaves.has(statement.type);
}

/** Yields the tests that hold at the position of `child` in `parent`. */
function* heldIn(parent, child) {
  if (parent.type === 'IfStatement' || parent.type === 'ConditionalExpression') {
    if (child === parent.consequent) yield* facts(parent.test, true);
    if (child === parent.alternate) yield* facts(parent.test, false);
  } else if (parent.type === 'LogicalExpression' && child === parent.right && parent.operator !== '??') {
    yield* facts(parent.left, parent.operator === '&&');
  } else if (bodies.has(parent.type)) {
    const statements = parent.type === 'SwitchCase' ? parent.consequent : parent.body;
    for (const before of statements.slice(0, statements.indexOf(child))) {
      if (before.type === 'IfStatement' && isLeft(before.consequent)) yield* facts(before.test, false);
    }
  }
}

const isCallOf = (node, object, method) =>
  node.type === 'CallExpression' &&
  node.callee.type === 'MemberExpression' &&
  node.callee.object.name === object &&
  node.callee.property.name === method;

/** Yields the objects whose own names an expression returns: `Object.keys(a)`, also `.filter(…)`, `.sort()`, `[...]` of it. */
function* ownNamesOf(node) {
  if (isCallOf(node, 'Object', 'keys')) yield node.arguments[0];
  else if (node.type === 'CallExpression' && node.callee.type === 'MemberExpression') {
    if (/^(filter|sort|toSorted|toReversed|slice)$/.test(node.callee.property.name))
      yield* ownNamesOf(node.callee.object);
  }
}

/** Returns the list that a loop or a callback iterates over, if its variable is `name`. */
function walkedBy(node, name) {
  if (node.type === 'ForOfStatement' || node.type === 'ForInStatement') {
    const variable = node.left.type === 'VariableDeclaration' ? node.left.declarations[0].id : undefined;
    return variable?.name === name ? node.right : undefined;
  }
  const isCallback = node.type === 'ArrowFunctionExpression' && node.params[0]?.name === name;
  if (!isCallback || node.parent.type !== 'CallExpression') return undefined;
  return node.parent.callee.type === 'MemberExpression' ? node.parent.callee.object : undefined;
}

const plain = (node) =>
  node.type === 'TSAsExpression' || node.type === 'TSNonNullExpression' ? plain(node.expression) : node;

/** True if `object` is known to have `key` as an own property. */
export function isKnownOwn(node, object, key, sourceCode) {
  const text = (part) => sourceCode.getText(plain(part));
  const [objectText, keyText] = [text(object), text(key)];
  for (let child = node; child.parent; child = child.parent) {
    for (const test of heldIn(child.parent, child)) {
      if (!isCallOf(test, 'Object', 'hasOwn')) continue;
      const [of, name] = test.arguments;
      if (text(of) === objectText && text(name) === keyText) return true;
    }
    const walked = walkedBy(child.parent, keyText);
    if (walked === undefined) continue;
    // `for … in` visits enumerable names only, and Object.prototype has none.
    const owners = child.parent.type === 'ForInStatement' ? [walked] : [...ownNamesOf(walked)];
    return owners.some((owner) => text(owner) === objectText);
  }
  return false;
}
