import {
  applyImport,
  checkImport,
  importersFor,
  importFile,
  importFormats,
  readImport,
  type Host,
  type ImportFile,
} from '@backlot/core';
import { BacklotError, checkAt, invalid, runInSlices, Type } from '@backlot/core/plugin';
import type { ImportTools } from '../options.js';
import { checkBody } from '../safety/check-value.js';
import { parseJson } from '../safety/parse-json.js';
import { warningHeader } from './mock-warnings.js';
import { answers, fails, NOT_ENABLED, type ManagementRoute } from './management-route.js';

const tag = 'Import';
const closed = { additionalProperties: false } as const;

/** A file in a body of JSON. */
const GivenSchema = Type.Object(
  {
    format: Type.Optional(
      Type.String({ minLength: 1, description: 'Its format, where it cannot be told by looking.' }),
    ),
    name: Type.Optional(
      Type.String({ description: 'Its name, which helps to tell the format: `stubs.json`.' }),
    ),
    content: Type.Optional(Type.String({ description: 'The file as a text.' })),
    content_base64: Type.Optional(
      Type.String({ description: 'The bytes of the file, in place of `content`.' }),
    ),
  },
  closed,
);

/** Something that an import or an export could not carry over as it was. */
export const NoteSchema = Type.Object({
  place: Type.String({ description: 'Where it was met first: a JSON pointer, or a line.' }),
  message: Type.String(),
  count: Type.Integer({ description: 'How often it was met.' }),
});

const CountsSchema = (description: string) => Type.Record(Type.String(), Type.Integer(), { description });

/** What was made of a file. */
export const ImportReportSchema = Type.Object({
  file: Type.String(),
  format: Type.String(),
  title: Type.String(),
  taken: CountsSchema('How many there are in the file of what can be taken.'),
  approximated: Type.Array(NoteSchema, { description: 'What came over in another form, and why.' }),
  refused: Type.Array(NoteSchema, { description: 'What was left out, and why.' }),
  dry_run: Type.Boolean({ description: 'Whether nothing was changed.' }),
  created: CountsSchema('What is there that was not before.'),
  replaced: CountsSchema('What took the place of another.'),
  left: Type.Array(Type.String(), { description: 'What a server that runs cannot take.' }),
});

/** Files of other tools, out of which mocks, data and state are made. */
export function importRoutes(host: Host, tools: ImportTools | undefined): ManagementRoute[] {
  const protocols = host.kinds.map(({ protocol }) => protocol);
  return [
    {
      method: 'GET',
      path: '/api/import',
      name: 'listImportFormats',
      tag,
      summary: 'Lists the formats of files that can be imported.',
      responses: {
        200: answers(
          'The formats.',
          Type.Array(
            Type.Object({ format: Type.String({ description: 'The short name.' }), title: Type.String() }),
          ),
        ),
      },
      async handle() {
        const further = (await tools?.load())?.importers ?? [];
        return {
          body: Object.entries(importFormats(protocols, further)).map(([format, title]) => ({
            format,
            title,
          })),
        };
      },
    },
    {
      method: 'POST',
      path: '/api/import',
      name: 'importFile',
      tag,
      summary: 'Makes mocks, data and state of a file of another tool.',
      description:
        'The body is the file, or JSON that has the file as a text in `content` or `content_base64`, and nothing but `name` and `format` beside it. All of it is created, or nothing where a part is refused. The format is told by looking.',
      query: {
        format: Type.String({ description: 'The format, where it cannot be told by looking.' }),
        name: Type.String({ description: 'The name of the file, which helps to tell the format.' }),
        replace: Type.Boolean({ description: 'Whether mocks whose ids exist take the places of those.' }),
        dry_run: Type.Boolean({ description: 'Whether it is only said what would be done.' }),
      },
      body: Type.Unknown({
        description: 'The file, or an object with `content` or `content_base64`, `name` and `format`.',
      }),
      hostChecksBody: true,
      takesBytes: true,
      examples: [{ name: 'requests.sh', content: 'curl https://example.com/users/7' }],
      responses: {
        200: answers('What was made of it, and what not.', ImportReportSchema),
        400: fails('The file has no format that is known, or something in it cannot be used.'),
        409: fails('An id exists; see `replace`.'),
        503: NOT_ENABLED,
      },
      async handle({ body, query, signal }, space) {
        const given = await readGiven(body);
        const loaded = await tools?.load();
        const file = await openFile({ ...given, name: given.name ?? query['name'] ?? '' }, loaded);
        const format = given.format ?? query['format'];
        const importers = await importersFor(file, protocols, loaded?.importers ?? [], format);
        const { imported, report } = await runInSlices(
          readImport(file, importers, { seed: space.seed }, format),
          signal,
        );
        const checked = await checkImport(space, imported, signal);
        const dryRun = query['dry_run'] === 'true';
        const replace = query['replace'] === 'true';
        const applied = await applyImport(space, checked.imported, { dryRun, replace, signal });
        const refused = [...report.refused, ...checked.refused];
        return {
          body: { ...report, refused, dry_run: dryRun, ...applied },
          headers: warningHeader(checked.warnings),
        };
      },
    },
  ];
}

interface Given {
  readonly bytes: Buffer;
  /** The value that the bytes are as JSON, where it is known. */
  readonly tree?: unknown;
  readonly name?: string | undefined;
  readonly format?: string | undefined;
}

/** The file of a body: the body itself, or what an object has as its content. */
async function readGiven(body: unknown): Promise<Given> {
  const bytes = Buffer.isBuffer(body) ? body : Buffer.from(JSON.stringify(body) ?? '');
  const tree = await jsonOf(bytes);
  if (!isEnvelope(tree)) return { bytes, tree };
  checkBody(GivenSchema, tree);
  const {
    name,
    format,
    content,
    content_base64: base64,
  } = tree as Readonly<Record<string, string | undefined>>;
  if ((content === undefined) === (base64 === undefined))
    throw invalid('give the file as either content or content_base64', [
      { path: '', message: 'must have either content or content_base64' },
    ]);
  const inner =
    base64 === undefined ? Buffer.from(content ?? '') : checkAt('/content_base64', () => readBase64(base64));
  return { bytes: inner, tree: await jsonOf(inner), name, format };
}

/** Whether JSON holds the file as a text. Other formats have a `content` as well, beside fields of their own or as an object. */
function isEnvelope(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const { content, content_base64: base64 } = value as Readonly<Record<string, unknown>>;
  return (
    (typeof content === 'string' || typeof base64 === 'string') &&
    Object.keys(value).every((name) => Object.hasOwn(GivenSchema.properties, name))
  );
}

/** What bytes are as JSON; undefined where they are none, which is no fault of a file. */
async function jsonOf(bytes: Buffer): Promise<unknown> {
  const first = bytes
    .subarray(0, 1024)
    .toString('latin1')
    .replace(/^\u00ef\u00bb\u00bf/, '')
    .trimStart()[0];
  if (first !== '{' && first !== '[') return undefined;
  try {
    return await parseJson(bytes);
  } catch (thrown) {
    if (thrown instanceof BacklotError && thrown.code === 'invalid') return undefined;
    throw thrown;
  }
}

function readBase64(text: string): Buffer {
  const bare = text.replaceAll(/\s+/g, '');
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(bare)) throw invalid('is no base64');
  return Buffer.from(bare, 'base64');
}

async function openFile(
  { bytes, tree, name = '' }: Given,
  loaded: Awaited<ReturnType<ImportTools['load']>> | undefined,
): Promise<ImportFile> {
  if (tree !== undefined || loaded === undefined) return importFile({ name, content: bytes, tree });
  const parsed = await loaded.parseTree(bytes.toString('utf8'), name);
  return importFile({ name, content: bytes, ...parsed });
}
