import { filterProblem } from '../wire/topic.js';
import type { Emitted, Emitter, EmitListener } from './emitter.js';

/** A member of a group. */
export interface SharedMember {
  /** Gets a message of its group. `done` is called when it has been handed on. */
  takeShared(group: string, message: Emitted, highest: number, done: () => void): void;
}

interface Group {
  readonly filter: string;
  readonly listener: EmitListener;
  readonly members: Map<SharedMember, number>;
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

/** Groups of clients of which one gets each message, in turn. They live as long as their members' connections. */
export class SharedSubscriptions {
  readonly #emitter: () => Emitter;
  readonly #byKey = new Map<string, Group>();

  /** @param emitter - of the broker that runs now */
  constructor(emitter: () => Emitter) {
    this.#emitter = emitter;
  }

  add({ key, filter }: SharedName, member: SharedMember, qos: number): void {
    let group = this.#byKey.get(key);
    if (group === undefined) {
      const members = new Map<SharedMember, number>();
      group = { filter, members, listener: (message, done) => deliver(key, filter, members, message, done) };
      this.#byKey.set(key, group);
      this.#emitter().on(filter, group.listener);
    }
    group.members.set(member, qos);
  }

  remove(key: string, member: SharedMember): void {
    const group = this.#byKey.get(key);
    if (group?.members.delete(member) !== true || group.members.size > 0) return;
    this.#byKey.delete(key);
    this.#emitter().removeListener(group.filter, group.listener);
  }
}

/** Gives a message to the next member. */
function deliver(
  key: string,
  filter: string,
  members: Map<SharedMember, number>,
  message: Emitted,
  done: () => void,
): void {
  const [next] = members;
  const isHidden = message.topic.startsWith('$') && /^[+#]/.test(filter);
  if (next === undefined || isHidden) return done();
  const [member, highest] = next;
  // It goes to the end of the line.
  members.delete(member);
  members.set(member, highest);
  member.takeShared(key, message, highest, done);
}
