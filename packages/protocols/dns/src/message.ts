import { invalid, type Message } from '@backlot/core/plugin';
import { parseName, type DomainName } from './wire/name.js';
import { nameOfType, numberOfType, TYPE } from './wire/types.js';

/** A question, as matchers, templates and the journal see it. */
export class DnsMessage implements Message {
  readonly method = 'QUERY';
  /** The name as it was asked, without the last dot. */
  readonly path: string;
  /** The type's name. */
  readonly body: string;
  readonly remote: string;
  /** The name in lower case. */
  readonly key: string;
  readonly type: number;
  /** How it came. */
  readonly transport: 'udp' | 'tcp';

  constructor(name: string, key: string, type: number, remote: string, transport: 'udp' | 'tcp') {
    this.path = name;
    this.body = nameOfType(type);
    this.remote = remote;
    this.key = key;
    this.type = type;
    this.transport = transport;
  }

  /** What templates see beyond the common fields. */
  get extras(): Readonly<Record<string, unknown>> {
    return { name: this.path, type: this.body, transport: this.transport };
  }

  /** The same question for another name: that of an alias. */
  forName(name: DomainName): DnsMessage {
    return new DnsMessage(name.text, name.key, this.type, this.remote, this.transport);
  }

  /** The same question for records of whatever type. */
  forAnyType(): DnsMessage {
    return new DnsMessage(this.path, this.key, TYPE.ANY, this.remote, this.transport);
  }
}

/** Makes the message of a journal entry, or of one that somebody wrote: `{path, body}`. */
export function explainEntry(entry: Readonly<Record<string, unknown>>): DnsMessage {
  const given = typeof entry['path'] === 'string' ? entry['path'] : '.';
  const type = typeof entry['body'] === 'string' ? numberOfType(entry['body']) : undefined;
  const remote = typeof entry['remote'] === 'string' ? entry['remote'] : '';
  const { text, key } = parseName(given);
  return new DnsMessage(text, key, type ?? TYPE.A, remote, 'udp');
}

/** Makes the question of a line such as `A www.example.com`; a name alone asks for an address. */
export function readQuestion(line: string): Readonly<Record<string, unknown>> {
  const words = line.split(/\s+/);
  const [first = '', second] = words;
  if (words.length === 1) return { path: first };
  const [type, name] = numberOfType(first) === undefined ? [second, first] : [first, second];
  if (words.length > 2 || type === undefined || numberOfType(type) === undefined) {
    throw invalid(
      `${JSON.stringify(line)} is no question; it must be a type and a name, as in "A www.example.com"`,
    );
  }
  return { path: name, body: type };
}
