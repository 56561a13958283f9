import { WildcardIndex } from '@backlot/kit';
import { TOPIC_SYNTAX, filterProblem } from '../wire/topic.js';

/** A member of a group. */
export interface SharedMember {
  /** Gets a message of its group. */
  takeShared(topic: string, payload: Buffer, qos: number): void;
}

interface Group {
  readonly filter: string;
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
  readonly #byFilter = new WildcardIndex<Group>(TOPIC_SYNTAX);
  readonly #byKey = new Map<string, Group>();

  add({ key, filter }: SharedName, member: SharedMember, qos: number): void {
    let group = this.#byKey.get(key);
    if (group === undefined) {
      group = { filter, members: new Map() };
      this.#byKey.set(key, group);
      this.#byFilter.add(filter, group);
    }
    group.members.set(member, qos);
  }

  remove(key: string, member: SharedMember): void {
    const group = this.#byKey.get(key);
    if (group?.members.delete(member) !== true || group.members.size > 0) return;
    this.#byKey.delete(key);
    this.#byFilter.remove(group.filter, group);
  }

  /** Gives a message to one member of each group that wants it. */
  deliver(topic: string, payload: Buffer, qos: number): void {
    if (this.#byFilter.size === 0) return;
    for (const { members } of this.#byFilter.match(topic)) {
      const [next] = members;
      if (next === undefined) continue;
      const [member, highest] = next;
      // It goes to the end of the line.
      members.delete(member);
      members.set(member, highest);
      member.takeShared(topic, payload, Math.min(qos, highest));
    }
  }
}
