import { invalid, type ImportFile, type ImportNotes } from '@backlot/core/plugin';
import { isTree, listOf, pointTo, textOf } from '@backlot/contracts';
import { binaryEvent, isEvent, problemOf, type CloudEvent } from './event.js';
import { readHttpMessage, type HttpMessage } from './http-message.js';

/** The events of a file, and the request that they came by, where it is one. */
export interface ReadEvents {
  readonly events: readonly CloudEvent[];
  readonly request: HttpMessage | undefined;
}

/** Whether a file holds events: one, a list, one a line, or a request. */
export function holdsEvents({ tree, text }: ImportFile): boolean {
  if (tree !== undefined) return isEvent(tree) || isEvent(listOf(tree)[0]);
  const message = readHttpMessage(text.slice(0, 100_000));
  if (message !== undefined)
    return message.headers.has('ce-specversion') || isStructured(message.headers.get('content-type'));
  const line = firstLine(text);
  return line.includes('"specversion"') && isEvent(jsonOf(line));
}

/** Reads the events of a file. */
export function* readEvents(
  { tree, text }: ImportFile,
  notes: ImportNotes,
): Generator<undefined, ReadEvents, undefined> {
  if (tree !== undefined) return { events: yield* eventsOf(tree, notes), request: undefined };
  const request = readHttpMessage(text);
  if (request === undefined) return { events: yield* lineEvents(text, notes), request: undefined };
  if (isStructured(request.headers.get('content-type')))
    return { events: yield* eventsOf(jsonOf(request.body), notes), request };
  const binary = binaryEvent(request);
  if (binary === undefined) throw invalid('a request with an event has the header "ce-specversion"');
  const problem = problemOf(binary.attributes);
  if (problem !== undefined) throw invalid(`the event of the request is none: ${problem}`);
  const type = textOf(binary.attributes['type']) ?? '';
  return { events: [{ place: '', type, content: binary.content }], request };
}

function* eventsOf(
  tree: unknown,
  notes: ImportNotes,
): Generator<undefined, readonly CloudEvent[], undefined> {
  if (!isTree(tree) && !Array.isArray(tree))
    throw invalid('a file of events is an event, or a list of events');
  const events: CloudEvent[] = [];
  for (const [index, one] of (Array.isArray(tree) ? (tree as unknown[]) : [tree]).entries()) {
    add(events, one, Array.isArray(tree) ? pointTo('', index) : '', notes);
    yield;
  }
  return events;
}

function* lineEvents(
  text: string,
  notes: ImportNotes,
): Generator<undefined, readonly CloudEvent[], undefined> {
  const events: CloudEvent[] = [];
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    if (line.trim() !== '') add(events, jsonOf(line), `line ${index + 1}`, notes);
    yield;
  }
  return events;
}

function add(events: CloudEvent[], event: unknown, place: string, notes: ImportNotes): void {
  const problem = isTree(event) ? problemOf(event) : 'it is no object';
  if (!isTree(event) || problem !== undefined) notes.refused(place, `an event is left out: ${problem ?? ''}`);
  else events.push({ place, type: textOf(event['type']) ?? '', content: { mode: 'structured', event } });
}

/** Whether a content type is that of events in structured mode, or of a list of them. */
function isStructured(type: string | undefined): boolean {
  return /^application\/cloudevents(?:-batch)?\+json\b/i.test(type ?? '');
}

function firstLine(text: string): string {
  const start = text.slice(0, 100_000).trimStart();
  return start.slice(0, start.includes('\n') ? start.indexOf('\n') : undefined);
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
