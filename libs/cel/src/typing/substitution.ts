import { CelType, sameType, types } from './type.ts';

/** The bindings of type parameters to types. */
export class Substitution {
  readonly #bindings = new Map<string, CelType>();
  /** The previous bindings in order of change, for undoing changes. */
  readonly #changes: { readonly name: string; readonly bound: CelType | undefined }[] = [];
  #fresh = 0;

  /** Creates an unbound parameter. */
  freshParameter(): CelType {
    return new CelType('typeParam', `_var${this.#fresh++}`);
  }

  /** Returns true if one type is assignable to the other, and keeps the bindings that this requires. */
  assign(from: CelType, to: CelType): boolean {
    return this.#attempt(() => this.#isAssignable(from, to));
  }

  /** Like `assign` for a list of arguments; keeps no binding if one of them is not assignable. */
  assignAll(from: readonly CelType[], to: readonly CelType[]): boolean {
    return this.#attempt(() => this.#areAssignable(from, to));
  }

  /** Replaces bound parameters in a type; with `unknownToDyn`, unbound ones become `dyn`. */
  apply(type: CelType, unknownToDyn = false): CelType {
    if (type.kind === 'typeParam') {
      const bound = this.#bindings.get(type.name);
      if (bound) return this.apply(bound, unknownToDyn);
      return unknownToDyn ? types.dyn : type;
    }
    return mapParameters(type, (parameter) => this.apply(parameter, unknownToDyn));
  }

  #attempt(test: () => boolean): boolean {
    const before = this.#changes.length;
    if (test()) return true;
    for (const { name, bound } of this.#changes.splice(before).reverse()) {
      if (bound) this.#bindings.set(name, bound);
      else this.#bindings.delete(name);
    }
    return false;
  }

  #set(name: string, type: CelType): void {
    this.#changes.push({ name, bound: this.#bindings.get(name) });
    this.#bindings.set(name, type);
  }

  #areAssignable(from: readonly CelType[], to: readonly CelType[]): boolean {
    return from.length === to.length && from.every((type, i) => this.#isAssignable(type, to[i]!));
  }

  #isAssignable(from: CelType, to: CelType): boolean {
    if (to.kind === 'typeParam') {
      const bound = this.#bind(from, to);
      if (bound !== 'free') return bound === 'agrees';
    }
    if (from.kind === 'typeParam') return this.#bind(to, from) === 'agrees';
    if (isDynOrError(from) || isDynOrError(to)) return true;
    if (from.kind === 'null') return acceptsNull(to);
    if (to.kind === 'null') return acceptsNull(from);
    switch (from.kind) {
      case 'type':
        return to.kind === 'type';
      case 'opaque':
      case 'list':
      case 'map':
        return (
          from.kind === to.kind &&
          from.name === to.name &&
          this.#areAssignable(from.parameters, to.parameters)
        );
      default:
        return from.kind === to.kind && from.name === to.name;
    }
  }

  /** Binds a parameter to a type. Returns `free` if it is unbound and the type contains it, so that it cannot be bound. */
  #bind(type: CelType, parameter: CelType): 'agrees' | 'differs' | 'free' {
    if (type.kind === 'typeParam' && type.name === parameter.name) return 'agrees';
    const bound = this.#bindings.get(parameter.name);
    if (!bound) {
      if (!this.#notReferencedIn(parameter, type)) return 'free';
      this.#set(parameter.name, type);
      return 'agrees';
    }
    if (type.kind === bound.kind && sameType(type, bound)) return 'agrees';
    if (!this.#isAssignable(type, bound)) return 'differs';
    const general = mostGeneral(type, bound);
    if (this.#notReferencedIn(parameter, general)) this.#set(parameter.name, general);
    return 'agrees';
  }

  #notReferencedIn(parameter: CelType, within: CelType): boolean {
    if (sameType(parameter, within)) return false;
    if (within.kind !== 'typeParam')
      return within.parameters.every((inner) => this.#notReferencedIn(parameter, inner));
    const bound = this.#bindings.get(within.name);
    return bound === undefined || this.#notReferencedIn(parameter, bound);
  }
}

/** Returns the more general of two types. */
export function mostGeneral(a: CelType, b: CelType): CelType {
  return isEqualOrLessSpecific(a, b) ? a : b;
}

/** Returns true for `dyn`. */
export function isDyn(type: CelType): boolean {
  return type.kind === 'dyn' || type.kind === 'any';
}

/** Returns true for `dyn` and for the error type, which is treated like `dyn`. */
export function isDynOrError(type: CelType): boolean {
  return isDyn(type) || type.kind === 'error';
}

/** Maps each parameter of a type. */
export function mapParameters(type: CelType, map: (parameter: CelType) => CelType): CelType {
  if (type.parameters.length === 0) return type;
  const parameters = type.parameters.map(map);
  if (parameters.every((parameter, i) => parameter === type.parameters[i])) return type;
  return new CelType(type.kind, type.name, parameters, type.nullable);
}

function isEqualOrLessSpecific(a: CelType, b: CelType): boolean {
  if (isDyn(a) || a.kind === 'typeParam') return true;
  if (isDyn(b) || b.kind === 'typeParam' || a.kind !== b.kind) return false;
  switch (a.kind) {
    case 'type':
      return true;
    case 'opaque':
    case 'list':
    case 'map':
      if (a.name !== b.name || a.parameters.length !== b.parameters.length) return false;
      return a.parameters.every((parameter, i) => isEqualOrLessSpecific(parameter, b.parameters[i]!));
    default:
      return sameType(a, b);
  }
}

function acceptsNull(type: CelType): boolean {
  return type.nullable || nullableKinds.has(type.kind);
}

const nullableKinds: ReadonlySet<string> = new Set([
  'opaque',
  'struct',
  'any',
  'duration',
  'timestamp',
  'null',
]);
