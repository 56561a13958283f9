import type { Message } from '../contract/message.js';
import { randomFor, type Random } from '../random/random.js';
import type { KeyRing } from '../keys/key-ring.js';
import type { TemplateScope } from '../templates/template.js';
import type { HostServices } from './runtime.js';
import { MessageView } from './request-view.js';

const NOTHING: Message = { method: '', path: '', remote: '' };

/** The values for the templates of one match, or of a text without a message. */
export class Scope implements TemplateScope {
  readonly message: Message | undefined;
  readonly request: MessageView;
  readonly now: () => number;
  readonly vars: Readonly<Record<string, unknown>>;
  readonly #services: HostServices;
  readonly #chance: readonly (string | number)[];
  #random: Random | undefined;

  /** @param chance - what makes this use of chance unique: kind, mock id, call number */
  constructor(
    services: HostServices,
    message: Message | undefined,
    params: () => Readonly<Record<string, string>>,
    chance: readonly (string | number)[],
  ) {
    this.#services = services;
    this.#chance = chance;
    this.message = message;
    this.request = new MessageView(message ?? NOTHING, params);
    this.now = () => services.clock.now();
    this.vars = services.vars;
  }

  random = (): Random => (this.#random ??= randomFor(this.#services.seed, ...this.#chance));

  get keys(): KeyRing {
    return this.#services.keys;
  }

  state(key: string): string | undefined {
    return this.#services.state.get(key);
  }

  seq(name: string): number {
    return this.#services.sequences.next(name);
  }
}
