import { fieldElement, type PathElement, printElement, sortElements } from './field-set-element.ts';

/** A field path as its elements. */
export type FieldPathElements = readonly PathElement[];

// Most nodes have only members or only children, so that the collections are created on first use.
const noMembers: ReadonlySet<PathElement> = new Set();
const noChildren: ReadonlyMap<PathElement, FieldSet> = new Map();

/**
 * A set of field paths, stored as a tree. `members` are the elements whose path is in the set; `children` are the elements
 * with members below them; an element can be both. Operations return sets that can share parts with their operands, and return
 * an operand itself if it is the result, whose encoded form is known then: do not change a set after using it as an operand.
 */
export class FieldSet {
  private ownMembers: Set<PathElement> | undefined;
  private ownChildren: Map<PathElement, FieldSet> | undefined;

  get members(): ReadonlySet<PathElement> {
    return this.ownMembers ?? noMembers;
  }

  get children(): ReadonlyMap<PathElement, FieldSet> {
    return this.ownChildren ?? noChildren;
  }

  /** Returns the set of these paths of field names: `FieldSet.of(['status'], ['metadata', 'name'])`. */
  static of(...paths: readonly (readonly string[])[]): FieldSet {
    const set = new FieldSet();
    for (const path of paths) set.insert(path.map(fieldElement));
    return set;
  }

  get isEmpty(): boolean {
    return this.ownMembers === undefined && this.ownChildren === undefined;
  }

  /** The number of paths in the set. */
  get size(): number {
    let size = this.members.size;
    for (const child of this.children.values()) size += child.size;
    return size;
  }

  /** Adds a path. The empty path is ignored: no manager owns a whole object. */
  insert(path: FieldPathElements): void {
    const last = path.at(-1);
    if (last === undefined) return;
    const node = path.slice(0, -1).reduce<FieldSet>((set, element) => set.descend(element), this);
    node.add(last);
  }

  /** Adds an element at this level. */
  add(element: PathElement): void {
    this.ownMembers ??= new Set();
    this.ownMembers.add(element);
  }

  /** Replaces the set below an element. Nodes never have empty children. */
  put(element: PathElement, child: FieldSet): void {
    if (child.isEmpty) return;
    this.ownChildren ??= new Map();
    this.ownChildren.set(element, child);
  }

  /** Returns the child of an element, created if absent; the caller adds a member to it. */
  private descend(element: PathElement): FieldSet {
    let child = this.children.get(element);
    if (child === undefined) {
      child = new FieldSet();
      this.ownChildren ??= new Map();
      this.ownChildren.set(element, child);
    }
    return child;
  }

  /** Adds a path and everything in a set below it. */
  graft(path: FieldPathElements, below: FieldSet): void {
    const last = path.at(-1);
    if (last === undefined) return;
    const parent = path.slice(0, -1).reduce<FieldSet>((set, element) => set.descend(element), this);
    parent.add(last);
    parent.put(last, below.union(parent.children.get(last) ?? new FieldSet()));
  }

  has(path: FieldPathElements): boolean {
    const last = path.at(-1);
    if (last === undefined) return false;
    const node = path
      .slice(0, -1)
      .reduce<FieldSet | undefined>((set, element) => set?.children.get(element), this);
    return node?.members.has(last) ?? false;
  }

  union(other: FieldSet): FieldSet {
    if (other.isEmpty || other === this) return this;
    if (this.isEmpty) return other;
    const result = new FieldSet();
    for (const set of [this, other]) for (const element of set.members) result.add(element);
    for (const [element, child] of this.children) {
      const theirs = other.children.get(element);
      result.put(element, theirs === undefined ? child : child.union(theirs));
    }
    for (const [element, child] of other.children) {
      if (!this.children.has(element)) result.put(element, child);
    }
    if (result.isLike(this)) return this;
    return result.isLike(other) ? other : result;
  }

  intersection(other: FieldSet): FieldSet {
    if (other === this) return this;
    const result = new FieldSet();
    for (const element of this.members) if (other.members.has(element)) result.add(element);
    for (const [element, child] of this.children) {
      const theirs = other.children.get(element);
      if (theirs !== undefined) result.put(element, child.intersection(theirs));
    }
    return result.isLike(this) ? this : result;
  }

  /** Returns the paths that are not in the other set; paths below a path of the other set remain. */
  difference(other: FieldSet): FieldSet {
    return this.without(other, false);
  }

  /** Returns the paths that are neither in the other set nor below one of its paths. */
  recursiveDifference(other: FieldSet): FieldSet {
    return this.without(other, true);
  }

  /** Returns the paths without another path of the set below them. */
  leaves(): FieldSet {
    const result = new FieldSet();
    for (const element of this.members) if (!this.children.has(element)) result.add(element);
    for (const [element, child] of this.children) result.put(element, child.leaves());
    return result;
  }

  equals(other: FieldSet): boolean {
    if (this === other) return true;
    if (this.members.size !== other.members.size || this.children.size !== other.children.size) return false;
    for (const element of this.members) if (!other.members.has(element)) return false;
    // With as many children, one direction suffices. Both at each level would double the time with each.
    for (const [element, child] of this.children) {
      const theirs = other.children.get(element);
      if (theirs === undefined || !child.equals(theirs)) return false;
    }
    return true;
  }

  /** Returns every path in the order of messages: the members of a level before deeper paths, each sorted. */
  *paths(prefix: FieldPathElements = []): Generator<FieldPathElements> {
    for (const element of sortElements(this.members)) yield [...prefix, element];
    for (const element of sortElements(this.children.keys())) {
      yield* (this.children.get(element) as FieldSet).paths([...prefix, element]);
    }
  }

  /** Formats the paths, one per line. */
  toString(): string {
    return [...this.paths()].map(printPath).join('\n');
  }

  private without(other: FieldSet, recursive: boolean): FieldSet {
    if (other.isEmpty) return this;
    if (other === this) return new FieldSet();
    const result = new FieldSet();
    for (const element of this.members) if (!other.members.has(element)) result.add(element);
    for (const [element, child] of this.children) {
      if (recursive && other.members.has(element)) continue;
      const theirs = other.children.get(element);
      if (theirs === undefined) result.put(element, child);
      else result.put(element, child.without(theirs, recursive));
    }
    return result.isLike(this) ? this : result;
  }

  /** Returns whether another set, of which this one has all or no other members, has the same members and the same children. */
  isLike(other: FieldSet): boolean {
    if (this.members.size !== other.members.size || this.children.size !== other.children.size) return false;
    for (const [element, child] of this.children) if (other.children.get(element) !== child) return false;
    return true;
  }
}

/** Formats a path for messages: `.spec.containers[name="a"].image`. */
export const printPath = (path: FieldPathElements): string => path.map(printElement).join('');
