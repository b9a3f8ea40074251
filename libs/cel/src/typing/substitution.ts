import { CelType, sameType, types } from './type.ts';

/** What is known about type parameters: which type each stands for. */
export class Substitution {
  readonly #bindings = new Map<string, CelType>();
  /** What parameters stood for before each change, so that changes can be taken back. */
  readonly #changes: { readonly name: string; readonly bound: CelType | undefined }[] = [];
  #fresh = 0;

  /** A parameter that nothing is known about yet. */
  freshParameter(): CelType {
    return new CelType('typeParam', `_var${this.#fresh++}`);
  }

  /** Whether a value of one type can be given where the other is expected; what that tells about parameters is kept. */
  assign(from: CelType, to: CelType): boolean {
    return this.#attempt(() => this.#isAssignable(from, to));
  }

  /** The same for arguments, none of which tells anything if one cannot be given. */
  assignAll(from: readonly CelType[], to: readonly CelType[]): boolean {
    return this.#attempt(() => this.#areAssignable(from, to));
  }

  /** The type with parameters replaced; with `unknownToDyn`, those that nothing is known about become `dyn`. */
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

  /** Binds a parameter to a type: `free` when it is not bound and cannot be, as the type refers to it. */
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

/** The type that values of both are of. */
export function mostGeneral(a: CelType, b: CelType): CelType {
  return isEqualOrLessSpecific(a, b) ? a : b;
}

/** Whether nothing is known about values of the type. */
export function isDyn(type: CelType): boolean {
  return type.kind === 'dyn' || type.kind === 'any';
}

/** Whether checking goes on as if nothing were known about values of the type. */
export function isDynOrError(type: CelType): boolean {
  return isDyn(type) || type.kind === 'error';
}

/** The type with each of its parameters mapped. */
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
