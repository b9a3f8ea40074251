import { fieldElement, type PathElement, printElement, sortElements } from './field-set-element.ts';

export type FieldPathElements = readonly PathElement[];

// Most nodes have either members or children; the collections are made when they are needed.
const noMembers: ReadonlySet<PathElement> = new Set();
const noChildren: ReadonlyMap<PathElement, FieldSet> = new Map();

/**
 * A set of field paths, as a tree. `members` are the elements whose path is in the set, `children` the elements below which
 * there are members; an element may be either or both. Every operation returns a set that may share parts with its operands, so
 * a set is not changed any more once it was given to one.
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

  /** The set of these paths of plain field names: `FieldSet.of(['status'], ['metadata', 'name'])`. */
  static of(...paths: readonly (readonly string[])[]): FieldSet {
    const set = new FieldSet();
    for (const path of paths) set.insert(path.map(fieldElement));
    return set;
  }

  get isEmpty(): boolean {
    return this.ownMembers === undefined && this.ownChildren === undefined;
  }

  /** The number of paths. */
  get size(): number {
    let size = this.members.size;
    for (const child of this.children.values()) size += child.size;
    return size;
  }

  /** Adds a path. The empty path is not tracked: nobody owns an object as a whole. */
  insert(path: FieldPathElements): void {
    const last = path.at(-1);
    if (last === undefined) return;
    const node = path.slice(0, -1).reduce<FieldSet>((set, element) => set.descend(element), this);
    node.add(last);
  }

  /** Adds an element of this level. */
  add(element: PathElement): void {
    this.ownMembers ??= new Set();
    this.ownMembers.add(element);
  }

  /** Puts a set below an element, in the place of what was there. Nodes never have empty children. */
  put(element: PathElement, child: FieldSet): void {
    if (child.isEmpty) return;
    this.ownChildren ??= new Map();
    this.ownChildren.set(element, child);
  }

  /** The child below an element, made where it is absent; something is then added to it. */
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
    if (other.isEmpty) return this;
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
    return result;
  }

  intersection(other: FieldSet): FieldSet {
    const result = new FieldSet();
    for (const element of this.members) if (other.members.has(element)) result.add(element);
    for (const [element, child] of this.children) {
      const theirs = other.children.get(element);
      if (theirs !== undefined) result.put(element, child.intersection(theirs));
    }
    return result;
  }

  /** The paths that are not in the other set. What lies below a path of the other set stays. */
  difference(other: FieldSet): FieldSet {
    return this.without(other, false);
  }

  /** The paths that are neither in the other set nor below one of its paths. */
  recursiveDifference(other: FieldSet): FieldSet {
    return this.without(other, true);
  }

  /** The paths below which there is no other path of the set. */
  leaves(): FieldSet {
    const result = new FieldSet();
    for (const element of this.members) if (!this.children.has(element)) result.add(element);
    for (const [element, child] of this.children) result.put(element, child.leaves());
    return result;
  }

  equals(other: FieldSet): boolean {
    if (this === other) return true;
    if (this.members.size !== other.members.size) return false;
    for (const element of this.members) if (!other.members.has(element)) return false;
    return this.childrenWithin(other) && other.childrenWithin(this);
  }

  /** Every path, in the order of messages: the members of a level before what lies below them, each sorted. */
  *paths(prefix: FieldPathElements = []): Generator<FieldPathElements> {
    for (const element of sortElements(this.members)) yield [...prefix, element];
    for (const element of sortElements(this.children.keys())) {
      yield* (this.children.get(element) as FieldSet).paths([...prefix, element]);
    }
  }

  /** The printed paths, one a line. */
  toString(): string {
    return [...this.paths()].map(printPath).join('\n');
  }

  private without(other: FieldSet, recursive: boolean): FieldSet {
    if (other.isEmpty) return this;
    const result = new FieldSet();
    for (const element of this.members) if (!other.members.has(element)) result.add(element);
    for (const [element, child] of this.children) {
      if (recursive && other.members.has(element)) continue;
      const theirs = other.children.get(element);
      if (theirs === undefined) result.put(element, child);
      else result.put(element, child.without(theirs, recursive));
    }
    return result;
  }

  private childrenWithin(other: FieldSet): boolean {
    for (const [element, child] of this.children) {
      const theirs = other.children.get(element);
      if (theirs === undefined || !child.equals(theirs)) return false;
    }
    return true;
  }
}

/** A path as it stands in messages: `.spec.containers[name="a"].image`. */
export const printPath = (path: FieldPathElements): string => path.map(printElement).join('');
