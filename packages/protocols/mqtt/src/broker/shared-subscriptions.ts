import { filterProblem } from '../wire/topic.js';
import type { Emitted, Emitter, EmitListener } from './emitter.js';

/** The subscription of a member. */
export interface SharedOptions {
  readonly qos: number;
  /** Of MQTT 5 (section 3.8.2.1.2). */
  readonly identifier?: number | undefined;
}

/** A member of a group. */
export interface SharedMember {
  /** Whether its client is away: it gets messages only while nobody of the group is there, to be kept. */
  readonly isAway: boolean;
  /**
   * Gets a message of its group. `done` is called when it has been handed on.
   *
   * @returns whether it takes it; if not, `done` is not called
   */
  takeShared(message: Emitted, options: SharedOptions, done: () => void): boolean;
}

type Line = Map<SharedMember, SharedOptions>;

interface Group {
  readonly filter: string;
  readonly listener: EmitListener;
  readonly present: Line;
  readonly away: Line;
}

/** The name and the filter of a shared subscription. */
export interface SharedName {
  readonly key: string;
  readonly filter: string;
}

const PREFIX = '$share/';

/** Whether a filter is meant as a shared subscription. */
export function isShared(filter: string): boolean {
  return filter.startsWith(PREFIX);
}

/** Splits `$share/{group}/{filter}` (MQTT 5, section 4.8.2); `undefined` when it is malformed. */
export function parseShared(filter: string): SharedName | undefined {
  const slash = filter.indexOf('/', PREFIX.length);
  const group = filter.slice(PREFIX.length, slash);
  const inner = filter.slice(slash + 1);
  if (slash < 0 || group === '' || /[+#]/.test(group) || filterProblem(inner) !== undefined) return undefined;
  return { key: filter, filter: inner };
}

/** Groups of clients of which one gets each message, in turn. A member belongs to one as long as its session. */
export class SharedSubscriptions {
  readonly #emitter: () => Emitter;
  readonly #byKey = new Map<string, Group>();
  #members = 0;

  /** @param emitter - of the broker that runs now */
  constructor(emitter: () => Emitter) {
    this.#emitter = emitter;
  }

  /** How many members all groups have together. */
  get members(): number {
    return this.#members;
  }

  add({ key, filter }: SharedName, member: SharedMember, options: SharedOptions): void {
    const group = this.#byKey.get(key) ?? this.#begin(key, filter);
    const line = member.isAway ? group.away : group.present;
    if (!line.has(member)) this.#members += 1;
    line.set(member, options);
  }

  remove(key: string, member: SharedMember): void {
    const group = this.#byKey.get(key);
    if (group === undefined) return;
    const line = member.isAway ? group.away : group.present;
    if (!line.delete(member)) return;
    this.#members -= 1;
    if (group.present.size + group.away.size > 0) return;
    this.#byKey.delete(key);
    this.#emitter().removeListener(group.filter, group.listener);
  }

  /** The broker has started again, with another emitter. */
  listenAgain(): void {
    for (const { filter, listener } of this.#byKey.values()) this.#emitter().on(filter, listener);
  }

  #begin(key: string, filter: string): Group {
    const present: Line = new Map<SharedMember, SharedOptions>();
    const away: Line = new Map<SharedMember, SharedOptions>();
    const isHidden = /^[+#]/.test(filter);
    const listener: EmitListener = (message, done) => {
      const isTaken =
        !(isHidden && message.topic.startsWith('$')) &&
        // Only messages that are acknowledged are kept.
        (give(present, message, done) || ((message.qos ?? 0) > 0 && give(away, message, done)));
      if (!isTaken) done();
    };
    const group = { filter, present, away, listener };
    this.#byKey.set(key, group);
    this.#emitter().on(filter, listener);
    return group;
  }
}

/** Gives a message to the next member that takes it. One that takes none is gone, or wants none that are kept. */
function give(line: Line, message: Emitted, done: () => void): boolean {
  for (let left = line.size; left > 0; left -= 1) {
    const [next] = line;
    if (next === undefined) return false;
    const [member, options] = next;
    // It goes to the end of the line.
    line.delete(member);
    line.set(member, options);
    if (member.takeShared(message, options, done)) return true;
  }
  return false;
}
