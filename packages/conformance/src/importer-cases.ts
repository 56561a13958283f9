import {
  checkImport,
  createHost,
  importFile,
  isBacklotError,
  readImport,
  type Importer,
  type ImportFile,
  type Protocol,
  type ReadImport,
} from '@backlot/core';
import { check, checkEqual, fail, show } from './check.js';
import type { ConformanceCase } from './conformance-case.js';
import { mutate } from './mutate.js';
import { mulberry32 } from './seeded-numbers.js';

/** How many changed files each format meets. */
const CHANGED = 1000;
/** Bytes of a sample that is changed; a larger one is cut, so that the whole takes seconds. */
const CHANGED_BYTES = 20_000;
/** Milliseconds of the processor that an importer may take between two yields: more than a busy machine adds to 50. */
const MOST_WORK = 250;
const MOST_STEPS = 1_000_000;
const SETTINGS = { seed: 1 };

/** What is hard to read in the formats of text that most files have. */
const INSERTS = [
  '{',
  '}',
  '[',
  ']',
  '"',
  ':',
  ',',
  '\n',
  '\0',
  '{{',
  '}}',
  '$ref',
  '#/',
  '__proto__',
  '99999999999',
  '-1',
  'null',
  '\u00ff\u00fe',
];

/** A file that an importer is to read. */
export interface ImportSample {
  readonly format: string;
  /** The name of the file, or of a folder. */
  readonly name: string;
  readonly content: string | Uint8Array;
  /** The files of a folder by their paths; the content is empty then. */
  readonly files?: Readonly<Record<string, string | Uint8Array>>;
}

/** Importers, and files that they are to read. */
export interface ImporterSubject {
  readonly importers: readonly Importer[];
  /** At least one for each importer. */
  readonly samples: readonly ImportSample[];
  /** The protocols for which the samples have mocks. */
  readonly protocols: readonly Protocol[];
  /** Reads a text as the app does; as JSON when absent. */
  readonly parse?: (text: string, name: string) => { readonly tree?: unknown; readonly fault?: string };
}

/** What importers must do: tell their own files, make what is valid, and end whatever a file holds. */
export function importerCases(subject: ImporterSubject): readonly ConformanceCase[] {
  const { importers, samples } = subject;
  const open = (sample: ImportSample): ImportFile => openSample(sample, subject);
  return [
    {
      name: 'each has a sample, and tells its own from those of others',
      async run() {
        for (const { format } of importers)
          check(
            samples.some((sample) => sample.format === format),
            `there is no sample of the format "${format}"`,
          );
        for (const sample of samples) {
          const file = open(sample);
          const sure = importers.filter((importer) => importer.detect(file) === 'sure');
          const likely = importers.filter((importer) => importer.detect(file) === 'likely');
          const [first] = [...sure, ...likely];
          check(
            sure.length < 2,
            `${sample.name}: ${sure.map(({ format }) => format).join(' and ')} are both sure of it`,
          );
          checkEqual(`the format of ${sample.name}`, first?.format, sample.format);
        }
      },
    },
    {
      name: 'what they make is valid, and the same each time',
      async run() {
        for (const sample of samples) {
          const first = readSample(open(sample), subject);
          checkEqual(
            `${sample.name} a second time`,
            readSample(open(sample), subject).imported,
            first.imported,
          );
          await checkValid(sample.name, first, subject.protocols);
        }
      },
    },
    {
      name: 'what they make is the same of files with the line ends of Windows',
      run: () => meetWindows(subject),
    },
    ...importers.map((importer) => ({
      name: `${importer.format} ends with a result or a clear error for ${CHANGED} changed files`,
      run: () => meetChanged(importer, subject),
    })),
    {
      name: 'files that are none are told by nobody for sure, and end with a clear error',
      async run() {
        const texts = ['', ' ', '{}', '[]', 'null', '{"a":1}', '<x/>', '\0\0\0', 'a', '-\n-', 'a: b'];
        for (const text of texts) {
          const file = openSample({ format: '', name: '', content: text }, subject);
          for (const importer of importers) {
            check(importer.detect(file) !== 'sure', `${importer.format} is sure of ${show(text)}`);
            convert(importer, file);
          }
        }
      },
    },
  ];
}

function openSample({ name, content, files }: ImportSample, subject: ImporterSubject): ImportFile {
  const one = (path: string, bytes: string | Uint8Array): ImportFile =>
    importFile({ name: path, content: bytes, ...parseOf(subject)(textOf(bytes), path) });
  if (files === undefined) return one(name, content);
  return importFile({
    name,
    content: '',
    files: Object.entries(files).map(([path, bytes]) => one(path, bytes)),
  });
}

function parseOf(subject: ImporterSubject): NonNullable<ImporterSubject['parse']> {
  return (
    subject.parse ??
    ((text) => {
      try {
        const tree = JSON.parse(text) as unknown;
        return typeof tree === 'object' && tree !== null ? { tree } : {};
      } catch {
        return {};
      }
    })
  );
}

function textOf(bytes: string | Uint8Array): string {
  return typeof bytes === 'string' ? bytes : Buffer.from(bytes).toString('utf8');
}

function readSample(file: ImportFile, { importers }: ImporterSubject): ReadImport {
  const steps = readImport(file, importers, SETTINGS);
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/** Checks what was made as the configuration of a host, which is never started. */
async function checkValid(name: string, { imported }: ReadImport, all: readonly Protocol[]): Promise<void> {
  const { protocols: blocks = {}, collections = {}, state = {}, reactions = [] } = imported;
  for (const kind of Object.keys(blocks))
    check(
      all.some((protocol) => protocol.kind === kind),
      `${name}: makes mocks of ${kind}, which is not among the protocols`,
    );
  const protocols = all.filter(({ kind }) => Object.hasOwn(blocks, kind));
  const host = await createHost({
    protocols,
    settings: Object.fromEntries(protocols.map(({ kind }) => [kind, { port: 0 }])),
  });
  const { refused } = await checkImport(host, imported);
  await host.stop(0);
  check(refused.length === 0, `${name}: ${refused[0]?.place}: ${refused[0]?.message}`);
  const settings = Object.fromEntries(protocols.map(({ kind }) => [kind, { port: 0, ...blocks[kind] }]));
  const whole = await createHost({ protocols, settings, collections, state, reactions });
  await whole.stop(0);
}

/** Line ends within texts that are taken whole, such as mails, may stay as they are in the file. */
function meetWindows(subject: ImporterSubject): Promise<void> {
  for (const sample of subject.samples) {
    if (typeof sample.content !== 'string' || sample.files !== undefined) continue;
    const content = sample.content.replaceAll(/\r?\n/g, '\r\n');
    const file = openSample({ ...sample, content }, subject);
    const likely = subject.importers.filter((importer) => importer.detect(file) !== undefined);
    check(
      likely.some(({ format }) => format === sample.format),
      `${sample.name}: ${sample.format} does not know it with the line ends of Windows`,
    );
    checkEqual(
      `${sample.name} with the line ends of Windows`,
      withoutReturns(readSample(file, subject).imported),
      withoutReturns(readSample(openSample(sample, subject), subject).imported),
    );
  }
  return Promise.resolve();
}

function withoutReturns(imported: unknown): unknown {
  return JSON.parse(JSON.stringify(imported).replaceAll(String.raw`\r\n`, String.raw`\n`));
}

async function meetChanged(importer: Importer, subject: ImporterSubject): Promise<void> {
  const samples = subject.samples.filter(({ format }) => format === importer.format);
  const below = mulberry32(20);
  for (let round = 0; round < CHANGED; round += 1) {
    const sample = samples[round % samples.length];
    if (sample === undefined) return fail(`there is no sample of the format "${importer.format}"`);
    const file = openSample(changed(sample, below), subject);
    importer.detect(file);
    try {
      convert(importer, file);
    } catch (thrown) {
      const shown = textOf(file.bytes).slice(0, 2000);
      fail(`changed file ${round} of ${sample.name}: ${show(thrown)}; it was ${show(shown)}`);
    }
  }
}

function changed(sample: ImportSample, below: (limit: number) => number): ImportSample {
  const bytes = (given: string | Uint8Array): Buffer =>
    Buffer.from(given as never).subarray(0, CHANGED_BYTES);
  // Values are changed as often as bytes: what is no JSON any more says little about the importer.
  const change = (given: string | Uint8Array): Uint8Array =>
    (below(3) === 0 ? undefined : changedTree(given, below)) ?? mutate(bytes(given), below, INSERTS);
  if (sample.files === undefined) return { ...sample, content: change(sample.content) };
  const entries = Object.entries(sample.files);
  const at = below(entries.length);
  return {
    ...sample,
    files: Object.fromEntries(
      entries.map(([path, given], index) => [path, index === at ? change(given) : given]),
    ),
  };
}

const STRANGE: readonly unknown[] = [
  null,
  true,
  0,
  -1,
  1e300,
  '',
  'x',
  '{{',
  '#/',
  '*',
  [],
  {},
  [[]],
  { a: null },
  'é\0\n',
  '../../x',
  [{}],
];

/** JSON with one to three values that are others, or at other places; undefined for what is no JSON. */
function changedTree(given: string | Uint8Array, below: (limit: number) => number): Uint8Array | undefined {
  let tree: unknown;
  try {
    tree = JSON.parse(textOf(given));
  } catch {
    return undefined;
  }
  for (let changes = 1 + below(3); changes > 0; changes -= 1) {
    let at = tree as Record<string, unknown>;
    for (;;) {
      const keys = typeof at === 'object' && at !== null ? Object.keys(at) : [];
      const key = keys[below(keys.length || 1)];
      if (key === undefined) break;
      const inner = at[key];
      if (typeof inner === 'object' && inner !== null && below(4) !== 0) {
        at = inner as Record<string, unknown>;
        continue;
      }
      if (below(8) === 0) at[key] = tree === at ? null : JSON.parse(JSON.stringify(tree));
      else at[key] = structuredClone(STRANGE[below(STRANGE.length)]);
      break;
    }
  }
  return Buffer.from(JSON.stringify(tree));
}

/** Converts a file to the end; a refusal that says why is fine. */
function convert(importer: Importer, file: ImportFile): void {
  const steps = readImport(file, [importer], SETTINGS, importer.format);
  try {
    for (let count = 0; ; count += 1) {
      const before = process.cpuUsage();
      const { done } = steps.next();
      const { user } = process.cpuUsage(before);
      if (user > MOST_WORK * 1000)
        fail(`${importer.format} took ${user / 1000} ms of the processor in one step`);
      if (count > MOST_STEPS) fail(`${importer.format} has taken ${count} steps and has not ended`);
      if (done === true) return;
    }
  } catch (thrown) {
    if (!isBacklotError(thrown) || thrown.code !== 'invalid' || thrown.message === '') throw thrown;
  }
}
