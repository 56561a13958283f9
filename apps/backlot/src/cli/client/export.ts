import type { ExportReport } from '@backlot/core';
import { stringify } from 'yaml';
import type { ApiClient } from '../../client/api-client.js';
import { queryOf } from '../../client/paths.js';
import { urlOf, type ClientFlags } from '../connect.js';
import { note, printJson, printLines, printText } from '../output.js';
import { writeStream } from '../write-stream.js';
import { noteReport } from './report-lines.js';

/** The flags of `backlot export`. */
export interface ExportFlags extends ClientFlags {
  readonly format?: string;
  readonly out?: string;
  readonly force?: boolean;
  readonly id?: string;
}

const DEFAULT_PORT = 9091;

/** `backlot export`: what runs, as a file that starts the same, or as one of another tool with what it could not say. */
export async function exportFile(api: ApiClient, flags: ExportFlags): Promise<void> {
  const { format, id, out } = flags;
  if (format === 'list') {
    const formats = (await api.get('/api/export')) as readonly { format: string; title: string }[];
    if (flags.json === true) return printJson(formats);
    return printLines(formats.map(({ format: name, title }) => `${name.padEnd(10)} ${title}`));
  }
  if (format === undefined && out === undefined) return exportConfiguration(api, flags);
  const query = { format: format ?? 'yaml', id };
  await writeStream(api.bytes(`/api/export${queryOf(query)}`), { out, isReplaced: flags.force === true });
  const report = (await api.get(`/api/export${queryOf({ ...query, report: true })}`)) as ExportReport;
  if (flags.json === true) {
    // The file is what standard output has, where it is not written to another.
    if (out === undefined) note(JSON.stringify(report));
    else printJson({ ...report, out });
    return;
  }
  noteReport(report, out);
}

/** What runs, as YAML or as JSON. */
async function exportConfiguration(api: ApiClient, flags: ClientFlags): Promise<void> {
  const configuration = (await api.get('/api/configuration')) as Readonly<Record<string, unknown>>;
  const port = Number(new URL(urlOf(flags)).port);
  const file = { ...(port === 0 || port === DEFAULT_PORT ? {} : { api: { port } }), ...configuration };
  if (flags.json === true) return printJson(file);
  printText(configurationText(file).trimEnd());
}

/** A configuration as a file has it. */
export function configurationText(configuration: Readonly<Record<string, unknown>>): string {
  // Names in it were replaced when they were read: what looks like one is text.
  return stringify(escaped(configuration), { lineWidth: 0, aliasDuplicateObjects: false });
}

/** The same with `$${` in place of `${`, which would be read as the name of a variable. */
function escaped(value: unknown): unknown {
  if (typeof value === 'string') return value.replaceAll('${', () => '$${');
  if (Array.isArray(value)) return value.map(escaped);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, escaped(inner)]));
}
