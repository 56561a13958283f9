import { isBacklotError, type Host, type JournalEntry } from '@backlot/core';
import { nextTurn, Slice, type Json } from '@backlot/core/plugin';
import type { FlightHeader, FlightLine } from './format.js';

/**
 * Puts what a recording has beside its configuration into a host that runs: faults, incidents, call counts, captured messages, data, the log and the
 * time.
 *
 * @returns what could not be put back, a sentence each
 */
export async function restoreFlight(
  host: Host,
  { clock }: FlightHeader,
  lines: AsyncIterable<FlightLine>,
): Promise<readonly string[]> {
  // What happens by itself waits: nothing must become due while the state is put back.
  host.clock.freeze(true);
  await host.clock.setNow(Date.parse(clock.now));
  const restoring = new Restoring(host);
  const slice = new Slice();
  for await (const line of lines) {
    await restoring.take(line);
    if (slice.isOver) {
      await nextTurn();
      slice.restart();
    }
  }
  await restoring.removeOthers();
  return restoring.left();
}

class Restoring {
  readonly #host: Host;
  readonly #left = new Map<string, number>();
  /** The ids of data that the recording has, by kind and section. */
  readonly #data = new Map<string, Set<string>>();

  constructor(host: Host) {
    this.#host = host;
  }

  left(): readonly string[] {
    return Array.from(this.#left, ([what, count]) => (count > 1 ? `${what} (${count} times)` : what));
  }

  async take(line: FlightLine): Promise<void> {
    if ('entry' in line) this.#host.journal.recall(withoutPlace(line.entry as JournalEntry));
    else if ('left_out' in line) this.#note(`not recorded: ${line.left_out}`);
    else if ('fault' in line) this.#try(line.fault, () => this.#host.faults.set(line.fault, line.value));
    else if ('incident' in line) await this.#recallIncident(line.incident, line.value, line.elapsed);
    else if ('calls' in line) {
      const [kind, mock] = line.calls;
      this.#try(kind, () => this.#host.kind(kind).calls.recall(mock, line.count));
    } else if ('captured' in line) {
      const { captured: kind, value } = line;
      this.#try(kind, () => this.#host.kind(kind).captures?.recall(value, 2 * JSON.stringify(value).length));
    } else if ('data' in line) await this.#put(line.data, line.value as Json);
  }

  /** What the configuration has made, and was gone when the recording was made. */
  async removeOthers(): Promise<void> {
    for (const kind of this.#host.kinds) {
      if (!kind.enabled || kind.service === undefined) continue;
      for (const section of kind.data.sections) {
        const { put, remove } = kind.protocol.data?.[section] ?? {};
        const known = this.#data.get(`${kind.kind} ${section}`);
        if (put === undefined || remove !== true || known === undefined) continue;
        const gone = Array.from(kind.data.entries(section), ({ id }) => id).filter((id) => !known.has(id));
        for (const id of gone.reverse()) {
          await kind.data.remove(section, id).catch(() => undefined);
          await nextTurn();
        }
      }
    }
  }

  async #recallIncident(name: string, given: Json, elapsed: number): Promise<void> {
    try {
      await this.#host.incidents.recall(name, given, elapsed);
    } catch (thrown) {
      if (!isBacklotError(thrown)) throw thrown;
      this.#note(`the incident ${name}: ${thrown.message.slice(0, 200)}`);
    }
  }

  async #put([name, section]: readonly [string, string], value: Json): Promise<void> {
    if (!this.#isThere(name)) return;
    const kind = this.#host.kind(name);
    const declaration = kind.protocol.data?.[section];
    if (declaration?.put === undefined)
      return this.#note(`${name} ${section}: nobody but clients makes them`);
    const fields = Object.keys(declaration.put.schema.properties);
    // What is shown has more than what is given, such as how many there are of something.
    const given = Object.fromEntries(Object.entries(value).filter(([field]) => fields.includes(field)));
    const id = value[declaration.idField ?? 'id'];
    const key = `${name} ${section}`;
    if (!this.#data.has(key)) this.#data.set(key, new Set());
    if (typeof id === 'string') this.#data.get(key)?.add(id);
    const put = (entry: Json): Promise<unknown> => kind.data.put(section, entry);
    try {
      await put(given).catch((thrown: unknown) => {
        // Where the id is made of other fields, it is given by those alone.
        const { [declaration.idField ?? 'id']: _id, ...others } = given;
        if (!isBacklotError(thrown) || Object.keys(others).length === 0) throw thrown;
        return put(others);
      });
    } catch (thrown) {
      if (!isBacklotError(thrown)) throw thrown;
      this.#note(`${key}: ${thrown.message.slice(0, 200)}`);
    }
  }

  #try(kind: string, act: () => void): void {
    if (!this.#isThere(kind)) return;
    try {
      act();
    } catch (thrown) {
      if (!isBacklotError(thrown)) throw thrown;
      this.#note(`${kind}: ${thrown.message.slice(0, 200)}`);
    }
  }

  #isThere(kind: string): boolean {
    if (this.#host.hasKind(kind) && this.#host.kind(kind).enabled) return true;
    this.#note(`${kind.slice(0, 100)} does not run here: of it there is only the log`);
    return false;
  }

  #note(what: string): void {
    this.#left.set(what, (this.#left.get(what) ?? 0) + 1);
  }
}

/** An entry without what says in whose log it was. */
function withoutPlace({ space: _space, replica: _replica, ...entry }: JournalEntry): JournalEntry {
  return entry;
}
