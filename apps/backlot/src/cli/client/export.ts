import { stringify } from 'yaml';
import type { ApiClient } from '../../client/api-client.js';
import { urlOf, type ClientFlags } from '../connect.js';
import { printJson, printText } from '../output.js';

const DEFAULT_PORT = 9091;

/** `backlot export`: what runs, as a file that starts the same; as YAML, or as JSON. */
export async function exportConfiguration(api: ApiClient, flags: ClientFlags): Promise<void> {
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
