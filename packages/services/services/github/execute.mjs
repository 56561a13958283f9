/** An object of a type, whose fields are asked for. */
export class Obj {
  constructor(type, source) {
    this.type = type;
    this.source = source;
  }
}

/** Something that a field could not give: an error with a type, such as `NOT_FOUND`. */
export class FieldProblem extends Error {
  constructor(type, message, extensions = undefined) {
    super(message);
    this.type = type;
    this.extensions = extensions;
  }
}

const MAX_FIELDS = 20_000;

/**
 * Gives the fields that an operation asks for.
 *
 * @param schema - by type what gives each field: `(source, args, call)`; `Node` and other interfaces by name under `interfaces`
 */
export class Execution {
  errors = [];
  #fields = 0;

  constructor({ types, interfaces }, fragments, variables, call) {
    this.types = types;
    this.interfaces = interfaces;
    this.fragments = fragments;
    this.variables = variables;
    this.call = call;
  }

  run(type, selections) {
    this.#check(type, selections, new Set(), []);
    if (this.errors.length > 0) return undefined;
    return this.#object(new Obj(type, {}), selections, []);
  }

  /** What is wrong with an operation is found as far as types are known before it runs. */
  #check(type, selections, seen, path) {
    const fields = this.types[type];
    for (const one of selections) {
      if (one.kind === 'inline') this.#check(one.on ?? type, one.selections, seen, path);
      else if (one.kind === 'spread') {
        const fragment = this.fragments.get(one.name);
        if (fragment === undefined)
          this.#say(path, `Fragment ${one.name} was used, but not defined`, 'useAndDefineFragment');
        else if (!seen.has(one.name))
          this.#check(fragment.on, fragment.selections, new Set([...seen, one.name]), path);
        else this.#say(path, `Fragment ${one.name} contains an infinite loop`, 'infiniteLoop');
      } else if (fields !== undefined && one.name !== '__typename' && !Object.hasOwn(fields, one.name)) {
        const extensions = { code: 'undefinedField', typeName: type, fieldName: one.name };
        this.errors.push({
          path: [...path, one.alias],
          extensions,
          message: `Field '${one.name}' doesn't exist on type '${type}'`,
        });
      }
    }
  }

  #say(path, message, code) {
    this.errors.push({ path, extensions: { code }, message });
  }

  #object({ type, source }, selections, path) {
    const made = {};
    for (const field of this.#flatten(type, selections)) {
      this.#fields += 1;
      if (this.#fields > MAX_FIELDS)
        throw new FieldProblem('RESOURCE_LIMITS_EXCEEDED', `A query gives at most ${MAX_FIELDS} fields`);
      const here = [...path, field.alias];
      made[field.alias] = this.#field(type, source, field, here);
    }
    return made;
  }

  #field(type, source, { name, args, selections }, path) {
    if (name === '__typename') return type;
    const fields = this.types[type];
    if (!Object.hasOwn(fields, name)) {
      this.#say(path, `Field '${name}' doesn't exist on type '${type}'`, 'undefinedField');
      return null;
    }
    const given = Object.fromEntries(
      args.map(([key, read]) => [key, read(this.variables)]).filter(([, value]) => value !== undefined),
    );
    try {
      return this.#complete(fields[name](source, given, this.call), selections, path, name);
    } catch (error) {
      if (!(error instanceof FieldProblem)) throw error;
      const extensions = error.extensions === undefined ? {} : { extensions: error.extensions };
      this.errors.push({ type: error.type, path, ...extensions, message: error.message });
      return null;
    }
  }

  #complete(value, selections, path, name) {
    if (Array.isArray(value))
      return value.map((one, index) => this.#complete(one, selections, [...path, index], name));
    if (value === undefined || value === null) return null;
    if (!(value instanceof Obj)) {
      if (selections !== undefined)
        throw new FieldProblem('INVALID', `Selections can't be made on scalars (field '${name}')`);
      return value;
    }
    if (selections === undefined)
      throw new FieldProblem(
        'INVALID',
        `Field must have selections (field '${name}' returns ${value.type} but has no selections. Did you mean '${name} { ... }'?)`,
      );
    return this.#object(value, selections, path);
  }

  *#flatten(type, selections) {
    for (const one of selections) {
      if (!one.directives.every((directive) => this.#passes(directive))) continue;
      if (one.kind === 'field') yield one;
      else {
        const { on, selections: inner } = one.kind === 'inline' ? one : this.fragments.get(one.name);
        if (on === undefined || on === type || this.interfaces[on]?.includes(type))
          yield* this.#flatten(type, inner);
      }
    }
  }

  #passes({ name, args }) {
    const value = args.find(([key]) => key === 'if')?.[1](this.variables);
    return name === 'include' ? value === true : name === 'skip' ? value !== true : true;
  }
}
