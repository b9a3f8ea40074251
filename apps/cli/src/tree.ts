/** A node of a tree: a line and its children. */
export interface TreeNode {
  text: string;
  children?: readonly TreeNode[];
}

/** Formats a tree for a terminal. */
export const treeText = (node: TreeNode): string => lines(node).join('\n');

function lines({ text, children = [] }: TreeNode): string[] {
  const below = children.flatMap((child, i) => {
    const last = i === children.length - 1;
    const [first = '', ...rest] = lines(child);
    return [`${last ? '└─ ' : '├─ '}${first}`, ...rest.map((line) => `${last ? '   ' : '│  '}${line}`)];
  });
  return [text, ...below];
}
