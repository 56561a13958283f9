import {
  invalid,
  messageOf,
  type Imported,
  type Importer,
  type ImportFile,
  type ImportNotes,
  type Json,
} from '@backlot/core/plugin';
import {
  buildClientSchema,
  isIntrospectionType,
  isSpecifiedScalarType,
  printType,
  type IntrospectionQuery,
} from 'graphql';
import { loadSchema } from '../schema/load-schema.js';

/** Characters of a schema that is built to see whether it can be: a server that imports it does nothing else meanwhile. */
const MOST_CHECKED = 300_000;
/** Characters of SDL that a configuration may have. */
const MOST_TEXT = 8 * 1024 * 1024;
/** Characters that are looked at to tell the format. */
const LOOKED_AT = 65_536;
const MOST_TYPES = 50_000;
const NAMED = /\.(graphqls?|gql|sdl)$/i;
const DEFINITION =
  /^(?:extend )?(?:type|interface|input|enum|union|scalar|directive|schema)\b[ \t@]*\w*[^\n=(]{0,500}[{=(]?/m;
/** What no other language has: a type whose fields are named, with their types behind a colon. */
const TYPE = /^(?:extend )?type \w{1,200}[^\n={]{0,500}\{[ \t]*(?:#[^\n]{0,500})?$/m;

/** Files of SDL: what no mock says is made by the types. */
const sdl: Importer = {
  format: 'graphql',
  title: 'GraphQL SDL',
  detect(file) {
    const texts = textsOf(file);
    if (texts.length === 0) return undefined;
    if (file.isFolder || NAMED.test(file.name))
      return texts.some((text) => DEFINITION.test(text.slice(0, LOOKED_AT))) ? 'sure' : undefined;
    return TYPE.test(file.text.slice(0, LOOKED_AT)) &&
      !/^(?:import|export|const|package|syntax)\b/m.test(file.text.slice(0, LOOKED_AT))
      ? 'likely'
      : undefined;
  },
  *convert(file, notes): Generator<undefined, Imported, undefined> {
    yield;
    return schemaOf(textsOf(file).join('\n\n'), notes);
  },
};

/** What a query for the schema is answered with. */
const introspection: Importer = {
  format: 'introspection',
  title: 'GraphQL introspection',
  detect: ({ tree }) => (typeof introspected(tree) === 'object' ? 'sure' : undefined),
  *convert({ tree }, notes): Generator<undefined, Imported, undefined> {
    const found = introspected(tree);
    if (!isJson(found)) throw invalid('an answer to an introspection query has "__schema"');
    const types = found['types'];
    if (!Array.isArray(types) || types.length > MOST_TYPES)
      throw invalid(`"__schema" has a list of types, ${MOST_TYPES} at most`);
    const given = Array.isArray(found['directives']) ? found['directives'] : [];
    const own = given.filter((one) => isJson(one) && !STANDARD.includes(String(one['name'])));
    if (own.length > 0)
      notes.refused(
        '/__schema/directives',
        'directives of the schema are left out: answers do not depend on them',
      );
    const parts: string[] = [];
    yield;
    try {
      const schema = buildClientSchema({
        __schema: { ...found, directives: [] },
      } as unknown as IntrospectionQuery);
      for (const type of Object.values(schema.getTypeMap())) {
        if (isSpecifiedScalarType(type) || isIntrospectionType(type)) continue;
        parts.push(printType(type));
        yield;
      }
      const roots = [
        ['query', schema.getQueryType()],
        ['mutation', schema.getMutationType()],
        ['subscription', schema.getSubscriptionType()],
      ] as const;
      if (!roots[0][1]) throw new Error('there is no type for queries');
      const lines = roots.flatMap(([name, type]) => (type ? [`  ${name}: ${type.name}`] : []));
      parts.unshift(`schema {\n${lines.join('\n')}\n}`);
    } catch (thrown) {
      throw invalid(`the types do not make a schema: ${messageOf(thrown).slice(0, 300)}`);
    }
    return schemaOf(parts.join('\n\n'), notes);
  },
};

const STANDARD = ['skip', 'include', 'deprecated', 'specifiedBy', 'oneOf', 'defer', 'stream'];

function schemaOf(text: string, notes: ImportNotes): Imported {
  if (text.length > MOST_TEXT) throw invalid(`the schema has more than ${MOST_TEXT} characters`);
  if (text.trim() === '') throw invalid('the schema is empty');
  if (text.length <= MOST_CHECKED) loadSchema({ sdl: text });
  else notes.approximated('', `a schema of more than ${MOST_CHECKED} characters is checked at the start`);
  notes.approximated('', 'operations that no mock answers are answered with values made by their types');
  return { protocols: { graphql: { sdl: text } } };
}

/** The text of a file, or those of a folder that has nothing else. */
function textsOf(file: ImportFile): readonly string[] {
  if (!file.isFolder) return file.tree === undefined && file.text !== '' ? [file.text] : [];
  return file.files.length > 0 && file.files.every(({ name }) => NAMED.test(name))
    ? file.files.map(({ text }) => text)
    : [];
}

function introspected(tree: unknown): unknown {
  const inner = isJson(tree) && isJson(tree['data']) ? tree['data'] : tree;
  const schema = isJson(inner) && Object.hasOwn(inner, '__schema') ? inner['__schema'] : undefined;
  return isJson(schema) ? schema : undefined;
}

function isJson(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The formats that become a schema. */
export const importers: readonly Importer[] = [sdl, introspection];
