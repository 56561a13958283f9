import {
  type Found,
  isTree,
  listOf,
  memberOf,
  pointTo,
  textOf,
  type Tree,
  treeOf,
  treesOf,
} from '@backlot/contracts';
import { bundleSchema } from '../schema/bundle.js';
import { sampleAvro } from '../schema/sample-avro.js';
import type { Example, Message, Tools } from './document.js';
import { mergeTraits } from './traits.js';

const MOST_EXAMPLES = 20;
const MOST_ALTERNATIVES = 200;

/** The messages of an operation: one, or the alternatives of `oneOf`. */
export function* readMessages(
  found: Found,
  name: string,
  place: string,
  tools: Tools,
): Generator<undefined, readonly Message[], undefined> {
  const { value, document } = tools.references.follow(found);
  const alternatives = memberOf(value, 'oneOf');
  if (Array.isArray(alternatives)) {
    const messages: Message[] = [];
    for (const [index, one] of alternatives.slice(0, MOST_ALTERNATIVES).entries()) {
      const at = pointTo(pointTo(place, 'oneOf'), index);
      messages.push(
        ...(yield* readMessages(
          { value: one, document },
          lastStep(one) ?? `${name}-${index + 1}`,
          at,
          tools,
        )),
      );
    }
    return messages;
  }
  if (!isTree(value)) return [];
  yield;
  return [
    readMessage(
      mergeTraits(value, document, tools),
      lastStep(found.value) ?? name,
      { value, document },
      place,
      tools,
    ),
  ];
}

function lastStep(value: unknown): string | undefined {
  const reference = memberOf(value, '$ref');
  return typeof reference === 'string' ? reference.slice(reference.lastIndexOf('/') + 1) : undefined;
}

function readMessage(message: Tree, name: string, { document }: Found, place: string, tools: Tools): Message {
  const { references, sampler, chance, notes, root } = tools;
  const given = treeOf(message['payload']);
  const isMulti = typeof given['schemaFormat'] === 'string' && given['schema'] !== undefined;
  const format = textOf(isMulti ? given['schemaFormat'] : message['schemaFormat']) ?? '';
  const payload: Found = { value: isMulti ? given['schema'] : message['payload'], document };
  const contentType =
    textOf(message['contentType']) ?? textOf(root['defaultContentType']) ?? 'application/json';
  const headers = headersSample(message['headers'], { document }, tools);
  const at = pointTo(place, 'payload');
  const made = ((): { value: unknown; schema: Message['schema'] } => {
    if (payload.value === undefined) return { value: undefined, schema: undefined };
    if (/avro/i.test(format)) {
      const schema = references.follow(payload).value;
      const value = sampleAvro(schema, chance);
      if (value === undefined) notes.refused(at, 'no value was found that the Avro schema allows');
      return { value, schema: value === undefined ? undefined : { type: 'avro', value: schema } };
    }
    if (/protobuf|raml|xsd|xml/i.test(format)) {
      notes.refused(
        at,
        `a schema of the format "${format.slice(0, 100)}" is not read; only examples are sent`,
      );
      return { value: undefined, schema: undefined };
    }
    const bundled = bundleSchema(payload.value, document, references);
    return {
      value: sampler.sample(payload.value, document, name),
      schema: bundled === undefined ? undefined : { type: 'json', value: bundled },
    };
  })();
  const examples = examplesOf(message, made.value, headers);
  if (treesOf(message['examples']).length === 0 && made.value !== undefined)
    notes.approximated(at, 'messages without an example are made from their schemas');
  const correlation = references.follow({ value: message['correlationId'], document }).value;
  return {
    name: textOf(message['name']) ?? name,
    contentType,
    examples,
    constants: /avro/i.test(format) ? undefined : constantsOf(payload, tools),
    correlation: textOf(memberOf(correlation, 'location')),
    bindings: treeOf(references.follow({ value: message['bindings'], document }).value),
    schema: made.schema,
    place,
  };
}

function examplesOf(message: Tree, value: unknown, headers: Tree): Message['examples'] {
  const given = treesOf(message['examples'])
    .slice(0, MOST_EXAMPLES)
    .map((example, index): Example => {
      // Before version 2.1 an example was the payload itself.
      const isWrapped = Object.hasOwn(example, 'payload') || Object.hasOwn(example, 'headers');
      return {
        name: textOf(example['name']) ?? `example-${index + 1}`,
        payload: isWrapped ? (example['payload'] ?? value) : example,
        headers: { ...headers, ...(isWrapped ? treeOf(example['headers']) : {}) },
      };
    });
  const [first, ...further] = given;
  return first === undefined ? [{ name: '', payload: value, headers }] : [first, ...further];
}

function headersSample(headers: unknown, { document }: Pick<Found, 'document'>, { sampler }: Tools): Tree {
  if (headers === undefined) return {};
  const given = treeOf(headers);
  const schema = typeof given['schemaFormat'] === 'string' ? given['schema'] : headers;
  return treeOf(sampler.sample(schema, document, 'header'));
}

/** The members of an object that have one value only. */
function constantsOf(payload: Found, { references }: Tools): Tree | undefined {
  const { value: schema, document } = references.follow(payload);
  const constants: [string, unknown][] = [];
  for (const [name, property] of Object.entries(treeOf(memberOf(schema, 'properties'))).slice(0, 100)) {
    const { value } = references.follow({ value: property, document });
    const values = listOf(memberOf(value, 'enum'));
    const constant = memberOf(value, 'const') ?? (values.length === 1 ? values[0] : undefined);
    if (['string', 'number', 'boolean'].includes(typeof constant)) constants.push([name, constant]);
  }
  return constants.length === 0 ? undefined : Object.fromEntries(constants);
}
