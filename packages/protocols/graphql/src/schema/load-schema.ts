import { readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { invalid, messageOf, type Problem, type ValueOf } from '@backlot/core/plugin';
import {
  buildASTSchema,
  GraphQLError,
  Kind,
  parse,
  Source,
  validateSchema,
  type DefinitionNode,
  type DocumentNode,
  type GraphQLSchema,
} from 'graphql';
import { MAX_NESTING, nestingOf } from '../document/nesting.js';
import type { ConfigSchema } from '../schemas.js';
import { withIncrementalDirectives } from '../incremental/directives.js';
import { withFederation } from './federation.js';
import { checkTypeValues, type TypeValues } from './type-values.js';

/** All texts of a schema together, in characters. */
const MAX_TEXT = 8 * 1024 * 1024;
const MAX_TOKENS = 1_000_000;

/** A schema that the configuration names. */
export interface LoadedSchema {
  readonly schema: GraphQLSchema;
  /** Its text, which a gateway asks for; without what was added to it. */
  readonly sdl: string;
  /** Values by the names of types, in place of those that are made. */
  readonly values: TypeValues;
}

interface NamedText {
  readonly name: string;
  readonly text: string;
}

/**
 * Reads the schema of a configuration.
 *
 * @returns `undefined` when it has none
 * @throws BacklotError `invalid` with every problem
 */
export function loadSchema(config: ValueOf<typeof ConfigSchema>): LoadedSchema | undefined {
  const { schema: named, sdl, types } = config;
  const problems: Problem[] = [];
  const texts: NamedText[] = [];
  let left = MAX_TEXT;
  const add = (path: string, name: string, read: () => string): void => {
    try {
      const text = read();
      left -= text.length;
      if (left < 0) throw new Error(`the schema is larger than ${MAX_TEXT / 1024 / 1024} MiB`);
      texts.push({ name, text });
    } catch (thrown) {
      problems.push({ path, message: messageOf(thrown) });
    }
  };
  if (typeof named === 'string') add('/schema', named, () => readText(named));
  else named?.forEach((path, index) => add(`/schema/${index}`, path, () => readText(path)));
  if (sdl !== undefined) add('/sdl', 'sdl', () => sdl);
  if (problems.length === 0 && texts.length === 0) {
    if (types === undefined) return undefined;
    problems.push({ path: '/types', message: 'types are of a schema; give schema or sdl as well' });
  }
  const at = named === undefined ? '/sdl' : '/schema';
  const schema = problems.length === 0 ? buildSchema(texts, at, problems) : undefined;
  const values = types ?? {};
  if (schema !== undefined) problems.push(...checkTypeValues(values, schema));
  const [first] = problems;
  if (first !== undefined || schema === undefined) throw invalid(first?.message ?? 'no schema', problems);
  return { schema, sdl: texts.map(({ text }) => text).join('\n'), values };
}

function readText(path: string): string {
  const file = resolve(path);
  const stat = statSync(file, { throwIfNoEntry: false });
  if (stat === undefined)
    throw new Error(`"${path}" is not there; relative paths start from the folder of the configuration`);
  if (!stat.isFile()) throw new Error(`"${path}" is not a file`);
  if (stat.size > MAX_TEXT) throw new Error(`"${path}" is larger than ${MAX_TEXT / 1024 / 1024} MiB`);
  return readFileSync(file, 'utf8');
}

function buildSchema(
  texts: readonly NamedText[],
  path: string,
  problems: Problem[],
): GraphQLSchema | undefined {
  const fail = (thrown: unknown): void => {
    problems.push({ path, message: describe(thrown) });
  };
  try {
    const definitions = texts.flatMap(({ name, text }) => {
      if (nestingOf(text, MAX_TOKENS) > MAX_NESTING)
        throw new Error(`"${name}" is nested deeper than ${MAX_NESTING} levels`);
      return parse(new Source(text, name), { maxTokens: MAX_TOKENS }).definitions;
    });
    const tree: DocumentNode = withFederation({
      kind: Kind.DOCUMENT,
      definitions: definitions.map(withBase(definitions)),
    });
    const schema = buildASTSchema(withIncrementalDirectives(tree));
    const errors = validateSchema(schema);
    errors.slice(0, 20).forEach(fail);
    return errors.length === 0 ? schema : undefined;
  } catch (thrown) {
    fail(thrown);
    return undefined;
  }
}

/** The kinds of extensions and of what they extend. */
const BASES = {
  [Kind.OBJECT_TYPE_EXTENSION]: Kind.OBJECT_TYPE_DEFINITION,
  [Kind.INTERFACE_TYPE_EXTENSION]: Kind.INTERFACE_TYPE_DEFINITION,
  [Kind.UNION_TYPE_EXTENSION]: Kind.UNION_TYPE_DEFINITION,
  [Kind.ENUM_TYPE_EXTENSION]: Kind.ENUM_TYPE_DEFINITION,
  [Kind.INPUT_OBJECT_TYPE_EXTENSION]: Kind.INPUT_OBJECT_TYPE_DEFINITION,
  [Kind.SCALAR_TYPE_EXTENSION]: Kind.SCALAR_TYPE_DEFINITION,
} as const;

/** The first extension of a type that nobody defines defines it: subgraphs extend `Query`, and types of others. */
function withBase(all: readonly DefinitionNode[]): (definition: DefinitionNode) => DefinitionNode {
  const defined = new Set<string>();
  for (const each of all) {
    if ('name' in each && each.name !== undefined && !(each.kind in BASES)) defined.add(each.name.value);
  }
  return (definition) => {
    const base = (BASES as Partial<Record<Kind, Kind>>)[definition.kind];
    if (base === undefined || !('name' in definition) || definition.name === undefined) return definition;
    if (defined.has(definition.name.value)) return definition;
    defined.add(definition.name.value);
    return { ...definition, kind: base } as DefinitionNode;
  };
}

function describe(thrown: unknown): string {
  const message = messageOf(thrown);
  if (!(thrown instanceof GraphQLError)) return message;
  const [place] = thrown.locations ?? [];
  const file = thrown.source?.name ?? thrown.nodes?.[0]?.loc?.source.name;
  return place === undefined ? message : `${file ?? 'schema'}:${place.line}:${place.column}: ${message}`;
}
