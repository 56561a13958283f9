import type { IncidentView } from '@backlot/core';
import type { ApiClient } from '../../client/api-client.js';
import { apiPath } from '../../client/paths.js';
import { readInput } from '../../client/read-input.js';
import { CommandError } from '../command-error.js';
import type { ClientFlags } from '../connect.js';
import { print, printDone, printJson, printLines } from '../output.js';
import { formatTable } from '../table.js';

/** `backlot incident list`. */
export async function list(api: ApiClient, flags: ClientFlags): Promise<void> {
  const incidents = (await api.get('/api/incidents')) as IncidentView[];
  if (flags.json === true) return printJson(incidents);
  const rows = incidents.map(({ name, running, summary }) => [
    name,
    running === undefined ? 'no' : `until ${running.ends_at}`,
    summary,
  ]);
  printLines(rows.length === 0 ? ['no incidents'] : formatTable(['name', 'runs', 'what happens'], rows));
}

/** `backlot incident show`. */
export async function show(api: ApiClient, name: string, flags: ClientFlags): Promise<void> {
  const incident = (await api.get(apiPath`/api/incidents/${name}`)) as IncidentView;
  if (flags.json === true) return printJson(incident);
  const { summary, advice, running, fields } = incident;
  print(`${incident.name}: ${summary}`);
  print(`A good client: ${advice}`);
  if (running !== undefined) print(`It runs until ${running.ends_at}.`);
  const { properties = {} } = fields as {
    properties?: Readonly<Record<string, { description?: string; default?: unknown }>>;
  };
  const rows = Object.entries(properties).map(([field, { description = '', default: usual }]) => [
    field,
    usual === undefined ? '' : typeof usual === 'string' ? usual : JSON.stringify(usual),
    description,
  ]);
  printLines(formatTable(['field', 'default', 'what it is'], rows));
}

/** `backlot incident start`. */
export async function start(
  api: ApiClient,
  name: string,
  source: string | undefined,
  flags: ClientFlags & { readonly for?: string },
): Promise<void> {
  const fields = source === undefined ? {} : await readInput(source, 'fields');
  if (Array.isArray(fields))
    throw new CommandError('the fields of an incident are an object, such as {down: 5s}');
  const body = { ...fields, ...(flags.for === undefined ? {} : { for: flags.for }) };
  const incident = (await api.post(apiPath`/api/incidents/${name}`, body)) as IncidentView;
  if (flags.json === true) return printJson(incident);
  print(`${incident.name} runs until ${incident.running?.ends_at ?? ''}`);
}

/** `backlot incident stop`. */
export async function stop(api: ApiClient, name: string | undefined, flags: ClientFlags): Promise<void> {
  const answer = await api.delete(name === undefined ? '/api/incidents' : apiPath`/api/incidents/${name}`);
  printDone(name === undefined ? 'ended all incidents' : `ended ${name}`, answer, flags);
}
