import { placeOf, TOXIC_TYPES, toxicTypesOf, type Kind } from '@backlot/core';
import { Type, type Protocol, type TSchema } from '@backlot/core/plugin';
import { captureSchema, faultSchema, itemSchema, mockSchema } from '../openapi/kind-schemas.js';
import { SchemaWriter } from '../openapi/schema-writer.js';
import { answers, type ManagementRoute } from './management-route.js';

const anything = { additionalProperties: true } as const;
const Anything = Type.Object({}, anything);

/** What programs that show or edit things of a kind need to know of it. */
export const KindSchema = Type.Object(
  {
    protocol: Type.String({ description: 'The kind.' }),
    title: Type.String({ description: 'Its name as people write it.' }),
    summary: Type.String(),
    mock: Type.Object(
      {
        noun: Type.String({ description: 'What its mocks are called.' }),
        mode: Type.String({
          description:
            '`first`: the first that matches answers; `all`: all that match do; `items`: they are not matched.',
        }),
        quiet_when_unmatched: Type.Optional(
          Type.Boolean({ description: 'Whether it is normal that no mock matches, as in a broker.' }),
        ),
        schema: Anything,
        fields: Type.Array(Type.String(), { description: 'Which fields say what a mock matches.' }),
        draft: Type.Record(Type.String(), Type.String(), {
          description:
            'Where a log entry has what a field of a mock for it would say: JSON pointers by field.',
        }),
        answer: Type.Array(Type.String(), { description: 'Which fields are its answer.' }),
        view: Type.Optional(Anything),
        line: Type.Optional(Type.String({ description: 'A message in one line, as `explain` takes it.' })),
        examples: Type.Array(Anything),
      },
      { description: 'Its mocks.' },
    ),
    fault: Type.Optional(Type.Object({ schema: Anything }, { description: 'Its fault.' })),
    toxics: Type.Array(
      Type.Object({
        type: Type.String(),
        summary: Type.String({ description: 'What it does.' }),
        schema: Anything,
      }),
      { description: 'The types of toxics that it takes, with the schemas of their attributes.' },
    ),
    captures: Type.Optional(
      Type.Object(
        {
          path: Type.String({ description: 'Where they are listed.' }),
          schema: Anything,
          attachments: Type.Boolean({ description: 'Whether they may have files attached.' }),
          time: Type.String({ description: 'The field that says when a message came.' }),
          view: Type.Optional(Anything),
        },
        { description: 'The messages that it captures.' },
      ),
    ),
    data: Type.Array(
      Type.Object({
        section: Type.String(),
        noun: Type.String(),
        summary: Type.String(),
        path: Type.String({ description: 'Where its entries are listed.' }),
        id: Type.String({ description: 'The field that is the id of an entry.' }),
        schema: Anything,
        put: Type.Optional(Type.Object({ schema: Anything, examples: Type.Array(Anything) })),
        remove: Type.Boolean({ description: 'Whether entries can be removed.' }),
        view: Type.Optional(Anything),
      }),
      { description: 'The data that it holds.' },
    ),
    items: Type.Array(
      Type.Object({
        name: Type.String(),
        noun: Type.String(),
        summary: Type.String(),
        path: Type.String({ description: 'Where they are listed.' }),
        id: Type.String({ description: 'The field that is the id of an item.' }),
        schema: Anything,
        examples: Type.Array(Anything),
        replace: Type.Boolean({ description: 'Whether items can be replaced.' }),
        remove: Type.Boolean({ description: 'Whether items can be deleted.' }),
      }),
      { description: 'The lists that it has beside its mocks.' },
    ),
    publish: Type.Optional(
      Type.Object(
        { path: Type.String(), summary: Type.String(), schema: Anything, examples: Type.Array(Anything) },
        { description: 'How messages are sent by it.' },
      ),
    ),
    push: Type.Optional(
      Type.Object({ schema: Anything }, { description: 'What is pushed into open streams.' }),
    ),
    command: Type.Optional(
      Type.Object(
        { tool: Type.String(), line: Type.String({ description: 'For a POSIX shell or bash.' }) },
        { description: 'A command that sends something to begin with, while it listens.' },
      ),
    ),
    $defs: Type.Object({}, { ...anything, description: 'Schemas that others refer to by `#/$defs/...`.' }),
  },
  { additionalProperties: false },
);

/** What there is of a kind, with the JSON schemas of it: from this, pages and editors are made. */
export function schemaRoutes(kind: Kind): ManagementRoute[] {
  let last:
    | { readonly protocol: Kind['protocol']; readonly line: string | undefined; readonly text: string }
    | undefined;
  return [
    {
      method: 'GET',
      path: `/api/schema/${kind.kind}`,
      name: `get${kind.kind.replace(/^./, (first) => first.toUpperCase())}Schema`,
      tag: 'System',
      summary: `What ${kind.protocol.meta.title} has and takes, with the JSON schemas of it.`,
      responses: { 200: answers('The description.', KindSchema) },
      async handle() {
        await kind.load();
        const { protocol } = kind;
        const line = firstLine(kind);
        if (last?.protocol !== protocol || last.line !== line)
          last = { protocol, line, text: JSON.stringify(describeKind(kind, line)) };
        return { text: last.text, contentType: 'application/json; charset=utf-8' };
      },
    },
  ];
}

/** The line that sends what a kind has as an example; undefined while there is none. */
function firstLine(kind: Kind): string | undefined {
  const { command } = kind.protocol;
  const { example } = command ?? {};
  const place = placeOf(kind);
  return example === undefined || place === undefined
    ? undefined
    : command?.write({ remote: '', ...example }, place);
}

function describeKind(kind: Kind, line: string | undefined): unknown {
  const { protocol } = kind;
  const { meta, mocks, capture, data = {}, publish, streams } = protocol;
  const writer = new SchemaWriter(new Map(), '#/$defs/');
  const write = (schema: TSchema): unknown => writer.write(schema);
  const fault = faultSchema(protocol);
  return {
    protocol: kind.kind,
    title: meta.title,
    summary: meta.summary,
    mock: {
      noun: mocks.noun,
      mode: mocks.mode,
      ...(mocks.quietWhenUnmatched === true ? { quiet_when_unmatched: true } : {}),
      schema: write(mockSchema(protocol)),
      fields: mocks.matching?.fields ?? [],
      draft: draftOf(protocol),
      answer: mocks.answer?.fields ?? [],
      ...(mocks.view === undefined ? {} : { view: mocks.view }),
      ...(mocks.explained?.line === undefined ? {} : { line: mocks.explained.line.example }),
      examples: mocks.examples,
    },
    ...(fault === undefined ? {} : { fault: { schema: write(fault) } }),
    toxics: toxicTypesOf(meta.transport).map((type) => ({
      type,
      summary: TOXIC_TYPES[type]?.summary ?? '',
      schema: write(TOXIC_TYPES[type]?.attributes ?? Anything),
    })),
    ...(capture === undefined
      ? {}
      : {
          captures: {
            path: capture.path ?? `/api/${kind.kind}/messages`,
            schema: write(captureSchema(capture)),
            attachments: capture.attachment !== undefined,
            time: capture.timeField ?? 'timestamp',
            ...(capture.view === undefined ? {} : { view: capture.view }),
          },
        }),
    data: Object.entries(data).map(([section, declared]) => ({
      section,
      noun: declared.noun,
      summary: declared.summary,
      path: `/api/${kind.kind}/data/${section}`,
      id: declared.idField ?? 'id',
      schema: write(declared.schema),
      ...(declared.put === undefined
        ? {}
        : { put: { schema: write(declared.put.schema), examples: declared.put.examples } }),
      remove: declared.remove ?? false,
      ...(declared.view === undefined ? {} : { view: declared.view }),
    })),
    items: Array.from(kind.itemLists, ([name, { declaration }]) => ({
      name,
      noun: declaration.noun,
      summary: declaration.summary,
      path: declaration.path,
      id: declaration.idField ?? 'id',
      schema: write(itemSchema(protocol, name, declaration)),
      examples: declaration.examples ?? [],
      replace: declaration.routes?.replace ?? false,
      remove: declaration.routes?.delete ?? false,
    })),
    ...(publish === undefined
      ? {}
      : {
          publish: {
            path: `/api/${kind.kind}/messages`,
            summary: publish.summary,
            schema: write(publish.schema),
            examples: publish.examples,
          },
        }),
    ...(line === undefined ? {} : { command: { tool: protocol.command?.tool, line } }),
    ...(streams === undefined ? {} : { push: { schema: write(streams.data) } }),
    $defs: writer.components(),
  };
}

/** Fields of an entry whose names mocks share. */
const SAME = ['method', 'path', 'body'];

function draftOf({ mocks }: Protocol): Readonly<Record<string, string>> {
  const { fields = {}, draft = {} } = mocks.explained ?? {};
  const own = Object.keys(mocks.schema.properties);
  const same = SAME.filter((name) => own.includes(name)).map((name) => [name, `/${name}`] as const);
  const entries = [...same, ...Object.entries(fields), ...Object.entries(draft)];
  return Object.fromEntries(entries.filter(([name]) => own.includes(name)));
}
