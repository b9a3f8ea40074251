/** Returns the text that an expression always has; undefined if that is not known: literals, their concatenation, and constants of the file. */
export function staticText(node, scope) {
  switch (node.type) {
    case 'Literal':
      return typeof node.value === 'string' ? node.value : undefined;
    case 'TemplateLiteral': {
      const parts = node.expressions.map((part) => staticText(part, scope));
      if (parts.includes(undefined)) return undefined;
      return node.quasis.map(({ value }, i) => value.cooked + (parts[i] ?? '')).join('');
    }
    case 'BinaryExpression': {
      const [left, right] = [node.left, node.right].map((part) => staticText(part, scope));
      return node.operator === '+' && left !== undefined && right !== undefined ? left + right : undefined;
    }
    case 'Identifier': {
      const made = constantOf(node.name, scope);
      return made === undefined ? undefined : staticText(made, scope);
    }
    default:
      return undefined;
  }
}

/** Returns the initializer of a constant. */
function constantOf(name, scope) {
  for (let current = scope; current; current = current.upper) {
    const defs = current.set.get(name)?.defs;
    if (defs === undefined) continue;
    const [{ type, parent, node } = {}] = defs;
    const isConstant = defs.length === 1 && type === 'Variable' && parent.kind === 'const';
    return isConstant && node.id.type === 'Identifier' ? (node.init ?? undefined) : undefined;
  }
  return undefined;
}
