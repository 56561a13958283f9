import {
  applyImport,
  checkImport,
  createHost,
  exportSource,
  importersFor,
  importFile,
  isBacklotError,
  readImport,
  runExport,
  type Exporter,
  type ExportReport,
  type Host,
  type Importer,
  type Json,
  type Protocol,
} from '@backlot/core';
import { runInSlices } from '@backlot/core/plugin';
import { check, checkEqual, fail } from './check.js';
import type { ConformanceCase } from './conformance-case.js';

const NOW = Date.UTC(2030, 0, 1);

/** What runs when a file is written. */
export interface ExportSample {
  readonly format: string;
  /** The settings of each kind, with its mocks and data. */
  readonly settings: Readonly<Record<string, Json>>;
  /** The settings of each kind without what is exported: those of the server that takes the file again. */
  readonly bare?: Readonly<Record<string, Json>>;
  /** What the report must say, a part of one note each, and nothing else; absent where all comes back as it was. */
  readonly losses?: readonly string[];
  /** The format of the importer that reads the file; that of the exporter when absent. */
  readonly readAs?: string;
  /** What the importer must say that it does not take, a part of one note each. */
  readonly notRead?: readonly string[];
}

/** Exporters, and what they are to write. */
export interface ExporterSubject {
  readonly exporters: readonly Exporter[];
  /** Those that read the files again; where none reads a format, only its notes are held to what they must say. */
  readonly importers: readonly Importer[];
  /** At least one for each exporter. */
  readonly samples: readonly ExportSample[];
  /** Formats that say what runs: there is always something to write. */
  readonly neverEmpty?: readonly string[];
  readonly protocols: readonly Protocol[];
  /** Reads a text as the app does. */
  readonly parse?: (text: string, name: string) => { readonly tree?: unknown; readonly fault?: string };
}

/** What exporters must do: what they write can be read again with nothing lost, or they say what is lost. */
export function exporterCases(subject: ExporterSubject): readonly ConformanceCase[] {
  const { exporters, samples } = subject;
  return [
    {
      name: 'each has a sample, and says what its files are',
      async run() {
        for (const { format, contentType, extension, title } of exporters) {
          check(
            samples.some((sample) => sample.format === format),
            `there is no sample of the format "${format}"`,
          );
          check(/^[^/\s]+\/[^/\s]+/.test(contentType), `${format}: "${contentType}" is no content type`);
          check(/^\.[a-z0-9._]+$/.test(extension), `${format}: "${extension}" is not how a file name ends`);
          check(title !== '', `${format} has no title`);
        }
      },
    },
    {
      name: 'each says when there is nothing to write',
      run: () =>
        withHost(subject, {}, async (host) => {
          for (const exporter of exporters)
            if (subject.neverEmpty?.includes(exporter.format) !== true) await meetNothing(exporter, host);
        }),
    },
    ...samples.map((sample, index) => ({
      name: `${sample.format}${index > 0 && samples[index - 1]?.format === sample.format ? ` ${index + 1}` : ''} is read again with nothing lost that was not told`,
      run: () => comesBack(sample, subject),
    })),
  ];
}

async function meetNothing(exporter: Exporter, host: Host): Promise<void> {
  const running = runExport(exporter, exportSource(host));
  let text = '';
  try {
    for (const piece of running.pieces) text += piece === undefined ? '' : textOf(piece);
  } catch (thrown) {
    check(
      isBacklotError(thrown) && thrown.code === 'invalid' && text === '',
      `${exporter.format}: where there is nothing to write it must throw a BacklotError "invalid" before the first piece`,
    );
    return;
  }
  const { written } = running.report();
  checkEqual(`${exporter.format}: what it has written where there is nothing`, written, {});
}

async function comesBack(sample: ExportSample, subject: ExporterSubject): Promise<void> {
  const { format, settings, bare = {}, losses, readAs = format, notRead = [] } = sample;
  const exporter = subject.exporters.find((each) => each.format === format);
  if (exporter === undefined) return fail(`there is no exporter of the format "${format}"`);
  await withHost(subject, settings, async (host) => {
    const first = await write(exporter, host);
    checkNotes(first.report, losses);
    checkCounted(first.report, host);
    const importers = subject.importers.filter((each) => each.format === readAs);
    if (importers.length === 0) return;
    await withHost(subject, bare, async (again) => {
      await read(first.text, `export${exporter.extension}`, { ...subject, importers }, again, notRead);
      checkEqual(
        `${format}: the file that is written of what was read again`,
        withoutPorts((await write(exporter, again)).text, again),
        withoutPorts(first.text, host),
      );
      if (losses === undefined) checkEqual(`${format}: what came back`, heldBy(again), heldBy(host));
    });
  });
}

/** Each loss is told, and nothing else is said to be one. */
function checkNotes({ format, approximated, refused }: ExportReport, losses: readonly string[] = []): void {
  const notes = [...approximated, ...refused].map(({ message }) => message);
  for (const loss of losses)
    check(
      notes.some((message) => message.includes(loss)),
      `${format}: its report must say "${loss}"; it says ${JSON.stringify(notes)}`,
    );
  const more = notes.filter((message) => !losses.some((loss) => message.includes(loss)));
  checkEqual(`${format}: what else its report says is lost`, more, []);
}

/** No mock is left out without a word. */
function checkCounted({ format, written, approximated, refused }: ExportReport, host: Host): void {
  const places = [...approximated, ...refused].reduce((sum, { count }) => sum + count, 0);
  const told = Object.values(written).reduce((sum, count) => sum + count, places);
  const mocks = host.kinds.reduce((sum, kind) => sum + kind.mocks.list().length, 0);
  check(told >= mocks, `${format}: of ${mocks} mocks its report has ${told}, written and lost`);
}

async function write(
  exporter: Exporter,
  host: Host,
): Promise<{ readonly text: string; readonly report: ExportReport }> {
  const { pieces, report } = runExport(exporter, exportSource(host));
  let text = '';
  for (const piece of pieces) text += piece === undefined ? '' : textOf(piece);
  return { text, report: report() };
}

async function read(
  text: string,
  name: string,
  { importers, parse }: ExporterSubject,
  host: Host,
  notRead: readonly string[],
): Promise<void> {
  const file = importFile({ name, content: text, ...parse?.(text, name) });
  const fitting = await importersFor(file, [], importers, undefined);
  const { imported, report } = await runInSlices(readImport(file, fitting, { seed: 1 }));
  const checked = await checkImport(host, imported);
  const refused = [...report.refused, ...checked.refused];
  for (const part of notRead)
    check(
      refused.some(({ message }) => message.includes(part)),
      `${report.format}: its report must say that it does not take "${part}"`,
    );
  const refusal = refused.find(({ message }) => !notRead.some((part) => message.includes(part)));
  check(
    refusal === undefined,
    `${report.format}: what was written is refused when it is read: ${refusal?.place}: ${refusal?.message}`,
  );
  await applyImport(host, checked.imported);
}

/** A file may say where the server that it was written of listens. */
function withoutPorts(text: string, host: Host): string {
  return host.kinds.reduce((rest, { kind, address }) => {
    if (address === undefined) return rest;
    return rest.replaceAll(new RegExp(`:${address.port}\\b`, 'g'), `:<port of ${kind}>`);
  }, text);
}

/** What the kinds of a host hold, without what each server gives by itself. */
function heldBy(host: Host): unknown {
  return host.kinds.map(({ kind, mocks, data }) => ({
    kind,
    mocks: mocks.list().map((mock) => {
      const { id: _id, created_at: _made, ...rest } = mock as Json;
      return rest;
    }),
    data: Object.fromEntries(
      data.sections.map((section) => [section, Array.from(data.entries(section), (entry) => entry.read())]),
    ),
  }));
}

/** Runs a function with a host that listens on free ports of loopback. */
async function withHost(
  { protocols }: ExporterSubject,
  settings: Readonly<Record<string, Json>>,
  run: (host: Host) => Promise<void>,
): Promise<void> {
  const host = await createHost({
    protocols,
    settings: Object.fromEntries(
      protocols.map(({ kind }) => [kind, { host: '127.0.0.1', port: 0, ...settings[kind] }]),
    ),
    seed: 1,
  });
  try {
    // What says when it was made is the same in all hosts.
    host.clock.freeze(true);
    await host.clock.setNow(NOW);
    await host.start();
    await run(host);
  } finally {
    await host.stop(0);
  }
}

function textOf(piece: string | Uint8Array): string {
  return typeof piece === 'string' ? piece : Buffer.from(piece).toString('utf8');
}
