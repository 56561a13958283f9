import type { WebsocketContext } from '../shape.js';
import type { DialectName } from './fields.js';
import { loadSpeech, type Speech, type Talking } from './speech.js';

/** The dialects that are spoken, each loaded when its first client comes. */
export class Speeches {
  readonly #context: WebsocketContext;
  readonly #loading = new Map<DialectName, Promise<Speech>>();
  readonly #loaded = new Map<DialectName, Speech>();

  constructor(context: WebsocketContext) {
    this.#context = context;
  }

  /** Resolves once the code is there. */
  load(name: DialectName): Promise<Speech> {
    const known = this.#loading.get(name);
    if (known !== undefined) return known;
    const loading = loadSpeech(name, this.#context).then((speech) => {
      this.#loaded.set(name, speech);
      return speech;
    });
    this.#loading.set(name, loading);
    return loading;
  }

  /** A dialect whose code is there. */
  get(name: DialectName | '' | undefined): Speech | undefined {
    return name === undefined || name === '' ? undefined : this.#loaded.get(name);
  }

  /** Clients without a connection of their own. */
  *clients(): Iterable<Talking> {
    for (const speech of this.#loaded.values()) yield* speech.clients?.() ?? [];
  }
}
