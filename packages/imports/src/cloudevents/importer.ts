import {
  invalid,
  type Imported,
  type Importer,
  type ImportNotes,
  type Json,
  type NewReaction,
} from '@backlot/core/plugin';
import { exactly, exactlyAll, httpMock, literalPath } from '../shared/answer.js';
import { Ids } from '../shared/ids.js';
import { targetOf } from '../shared/target.js';
import { CARRIERS } from './carriers.js';
import type { CloudEvent } from './event.js';
import type { HttpMessage } from './http-message.js';
import { holdsEvents, readEvents } from './read-events.js';

/** The key of the state that a test sets to have an event sent. */
const KEY = 'send';
/** Reactions of one file: a host has 1,000 at most. */
const MOST_REACTIONS = 500;

/**
 * Events as CloudEvents has them: each can be sent by the brokers, when a test asks for it. A request that brings an event
 * is taken by a mock of HTTP as well.
 */
export const cloudevents: Importer = {
  format: 'cloudevents',
  title: 'CloudEvents 1.0',
  detect: (file) => (holdsEvents(file) ? 'sure' : undefined),
  *convert(file, notes): Generator<undefined, Imported, undefined> {
    const { events, request } = yield* readEvents(file, notes);
    if (events.length === 0) throw invalid('the file has no event that can be sent');
    const sending = new Sending(notes);
    for (const event of events) {
      sending.add(event);
      yield;
    }
    const made = sending.finish();
    if (request === undefined) return made;
    notes.approximated('', 'a request that brings such an event is answered with 202');
    return { ...made, protocols: { ...made.protocols, http: { mocks: [receiver(request, events)] } } };
  },
};

class Sending {
  readonly #names = new Ids();
  readonly #reactions: NewReaction[] = [];
  readonly #addresses = new Map<string, Set<string>>();

  constructor(private readonly notes: ImportNotes) {}

  add(event: CloudEvent): void {
    const { notes } = this;
    if (this.#reactions.length + CARRIERS.length > MOST_REACTIONS) {
      notes.refused('', `events beyond ${Math.floor(MOST_REACTIONS / CARRIERS.length)} are left out`);
      return;
    }
    const name = this.#names.take(event.type);
    notes.approximated(
      event.place,
      `an event is sent when the state "${KEY}" is set to its type, with a number behind it for a further one of the type, such as "${this.#first ?? name}"`,
    );
    notes.approximated(
      '',
      'an event does not say where it is sent: its type is the topic of Kafka and MQTT, the subject of NATS and the queue of AMQP',
    );
    for (const carrier of CARRIERS) {
      const address = carrier.address(event.type);
      if (address === undefined) {
        notes.refused(event.place, `"${event.type.slice(0, 100)}" can be no address of ${carrier.kind}`);
        continue;
      }
      this.#addressesOf(carrier.kind).add(address);
      this.#reactions.push({
        id: `${name}-${carrier.kind}`,
        on: { state: { key: KEY, value: exactly(name) } },
        do: [{ [carrier.kind]: carrier.emit(event, address) }],
      });
    }
    this.#first ??= name;
  }

  #first: string | undefined;

  #addressesOf(kind: string): Set<string> {
    const known = this.#addresses.get(kind) ?? new Set<string>();
    this.#addresses.set(kind, known);
    return known;
  }

  finish(): Imported {
    const protocols: Record<string, Json> = {};
    const data: Record<string, NonNullable<Imported['data']>[string]> = {};
    for (const carrier of CARRIERS) {
      const { kind } = carrier;
      const addresses = this.#addresses.get(kind);
      if (addresses === undefined) continue;
      const made = carrier.block([...addresses]);
      protocols[kind] = made.block;
      if (made.data !== undefined) data[kind] = made.data;
    }
    return { protocols, reactions: this.#reactions, data };
  }
}

/** A mock that takes requests with events of the same type. */
function receiver(request: HttpMessage, events: readonly CloudEvent[]): Json {
  const target = targetOf(request.target) ?? { path: '/', query: [] };
  const [event] = events;
  const isBatch = /-batch\+json/i.test(request.headers.get('content-type') ?? '');
  const told =
    event?.content.mode === 'binary'
      ? { headers: { 'ce-type': exactly(event.type) } }
      : {
          headers: {
            'Content-Type': isBatch ? 'application/cloudevents-batch+json*' : 'application/cloudevents+json*',
          },
          ...(isBatch ? {} : { body_json: { type: exactly(event?.type ?? '') } }),
        };
  return httpMock({
    id: `event${target.path.replaceAll('/', '-')}`.slice(0, 200),
    request: {
      method: request.method,
      ...literalPath(target.path),
      query: exactlyAll(target.query),
      ...told,
    },
    response: { status: 202 },
  });
}
