import { ComposedIndex, type Candidates, type Change } from '@backlot/core/plugin';
import { WildcardNames } from '@backlot/kit/wildcards';
import type { CompiledMqtt } from './matcher.js';
import type { MqttMessage } from './message.js';
import { TOPIC_SYNTAX } from './wire/topic.js';

type Held = Candidates<CompiledMqtt>;

/** Finds mocks by topic: exact ones, filters, and patterns that only a test can tell. */
export class TopicIndex extends ComposedIndex<MqttMessage, CompiledMqtt> {
  readonly #topics = new WildcardNames<Held>(TOPIC_SYNTAX);

  find({ path }: MqttMessage, found: Held[]): void {
    this.#topics.find(path, found);
  }

  protected change({ exact, filter }: CompiledMqtt, change: Change<Held>): void {
    this.#topics.change({ exact, wildcards: filter }, change);
  }
}
