import { tsdoc } from './comments.mjs';
import { oneOf, pascal } from './names.mjs';

/**
 * @typedef {import('../docs/schema-rows.mjs').Schema & { readonly examples?: readonly unknown[] }} Schema
 *
 * @typedef {object} Place where a type stands
 * @property {string} parent the interface
 * @property {string} key the field
 * @property {string | undefined} [text] what the field is, for an object that does not say so itself
 */

/**
 * Writes the types of schemas: an interface for each object, with the texts of the schema on every field.
 */
export class TypeWriter {
  /** @type {Map<string, string>} the names of objects by their form */
  #known = new Map();
  /** @type {Set<string>} */
  #names = new Set();
  /** @type {string[]} */
  #written = [];
  /** @type {Set<string>} what was used and not written here */
  used = new Set();

  /** @param {string} prefix what the names of objects inside begin with */
  constructor(prefix) {
    this.prefix = prefix;
  }

  /**
   * An object that has a name elsewhere, or gets one later: it is named wherever its form occurs.
   *
   * @param {string} name
   * @param {Schema} [schema] absent: the name is taken
   */
  know(name, schema) {
    this.#names.add(name);
    if (schema !== undefined) this.#known.set(formOf(schema), name);
  }

  /** @param {string} text */
  add(text) {
    this.#written.push(text);
  }

  /** The interfaces in the order in which they were asked for. */
  get text() {
    return this.#written.join('\n');
  }

  /**
   * Writes an interface and, behind it, those of its fields.
   *
   * @param {string} name
   * @param {Schema} schema
   * @param {string} text
   * @param {string} [base] an interface whose fields it has as well
   * @param {readonly string[]} [further] fields that no schema says
   */
  addInterface(name, schema, text, base, further = []) {
    this.#names.add(name);
    const at = this.#written.push('') - 1;
    const fields = Object.entries(schema.properties ?? {}).map(([key, field]) => {
      const mark = schema.required?.includes(key) === true ? '' : '?';
      const type = this.typeOf(field, { parent: name, key, text: field.description });
      return `${tsdoc(field.description ?? `The \`${key}\`.`, field.default)}readonly ${JSON.stringify(key)}${mark}: ${type};\n`;
    });
    if (schema.additionalProperties === true && fields.length > 0) {
      fields.push(`${tsdoc('Whatever else there is.')}readonly [key: string]: unknown;\n`);
    }
    fields.push(...further);
    if (base !== undefined) this.used.add(base);
    const head = base === undefined ? name : `${name} extends ${base}`;
    this.#written[at] =
      fields.length === 0 && base !== undefined
        ? `${tsdoc(text)}export type ${name} = ${base};\n`
        : `${tsdoc(text)}export interface ${head} {\n${fields.join('')}}\n`;
  }

  /**
   * @param {Schema} schema
   * @param {Place} place
   * @returns {string}
   */
  typeOf(schema, place) {
    const known = this.#known.get(formOf(schema));
    if (known !== undefined) {
      this.used.add(known);
      return known;
    }
    if (schema.const !== undefined) return JSON.stringify(schema.const);
    if (schema.anyOf !== undefined) {
      return [...new Set(schema.anyOf.map((branch) => this.typeOf(branch, place)))].join(' | ');
    }
    switch (schema.type) {
      case 'array': {
        const items = this.typeOf(schema.items ?? {}, {
          ...place,
          key: oneOf(place.key),
          text: `One of \`${place.key}\` of {@link ${place.parent}}.`,
        });
        return `readonly (${items})[]`;
      }
      case 'object':
        return this.#objectOf(schema, place);
      case 'string':
        return textOf(schema);
      case 'integer':
      case 'number':
        return 'number';
      case 'boolean':
      case 'null':
        return schema.type;
      case undefined:
        return 'unknown';
      default:
        throw new Error(`${place.parent}.${place.key}: no type for a schema of type "${schema.type}"`);
    }
  }

  /**
   * @param {Schema} schema
   * @param {Place} place
   */
  #objectOf(schema, place) {
    if (Object.keys(schema.properties ?? {}).length > 0) {
      const name = this.#nameFor(place);
      this.know(name, schema);
      const text =
        schema.description ?? place.text ?? `What \`${place.key}\` of {@link ${place.parent}} holds.`;
      this.addInterface(name, schema, text);
      return name;
    }
    const [values = {}] = Object.values(schema.patternProperties ?? {});
    return `Readonly<Record<string, ${this.typeOf(values, { ...place, key: oneOf(place.key) })}>>`;
  }

  /** @param {Place} place */
  #nameFor({ parent, key }) {
    const names = [this.prefix + pascal(key), parent + pascal(key)];
    const free = names.find((name) => !this.#names.has(name));
    if (free === undefined) throw new Error(`${parent}.${key}: the names ${names.join(' and ')} are taken`);
    return free;
  }
}

/**
 * A text; with examples it is completed by them and may be any other.
 *
 * @param {Schema} schema
 */
function textOf({ examples = [] }) {
  if (examples.length === 0) return 'string';
  return [...examples.map((value) => JSON.stringify(value)), '(string & {})'].join(' | ');
}

/**
 * What two schemas of the same form have in common; texts of the whole are left out.
 *
 * @param {Schema} schema
 */
function formOf({
  type,
  properties,
  required,
  additionalProperties,
  patternProperties,
  anyOf,
  items,
  ...rest
}) {
  if (anyOf !== undefined) return JSON.stringify({ anyOf });
  if (properties === undefined || Object.keys(properties).length === 0) {
    return JSON.stringify({ type, patternProperties, items, additionalProperties, ...rest });
  }
  return JSON.stringify({ properties, required: [...(required ?? [])].sort(), additionalProperties });
}
