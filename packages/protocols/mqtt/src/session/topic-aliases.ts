import { encodeU16Property } from '../wire/encode-properties.js';
import { PROPERTY } from '../wire/properties.js';

/** A shorter topic is no longer than what would stand for it. */
const WORTH = 4;
const NO_TOPIC = Buffer.alloc(2);

/**
 * The names of topics towards one client (MQTT 5, section 3.3.2.3.4): the first topics get one each, as many as the
 * client takes.
 */
export class TopicAliases {
  readonly #most: number;
  readonly #aliases = new Map<string, number>();

  /** @param most - the client's Topic Alias Maximum */
  constructor(most: number) {
    this.#most = most;
  }

  /** What stands for a topic that the client knows by a name: the topic's bytes with their length, and a property. */
  known(topic: string): { readonly topic: Buffer; readonly property: Buffer } | undefined {
    const alias = this.#aliases.get(topic);
    return alias === undefined ? undefined : { topic: NO_TOPIC, property: encode(alias) };
  }

  /** The property that names a topic; `undefined` when there is no name left for it. */
  propose(topic: string): Buffer | undefined {
    if (this.#aliases.size >= this.#most || topic.length < WORTH) return undefined;
    return encode(this.#aliases.size + 1);
  }

  /** What was proposed has been sent. */
  give(topic: string): void {
    this.#aliases.set(topic, this.#aliases.size + 1);
  }
}

function encode(alias: number): Buffer {
  return encodeU16Property(PROPERTY.TOPIC_ALIAS, alias);
}
