import { BacklotError, invalid } from '../errors.js';
import { show } from '../validation/messages.js';
import type { KindHost } from './kind-host.js';
import { admitGuests } from './sharing.js';
import { startKinds } from './start-kinds.js';
import { stopServices } from './stop-services.js';

/** The kinds of a space: each is started when it is first used, together with those that share its listener. */
export class WakingKinds {
  readonly #kinds: readonly KindHost[];
  readonly #create: (kind: KindHost) => Promise<void>;
  /** By the kind that has the listener. */
  readonly #waking = new Map<KindHost, Promise<void>>();
  #isClosed = false;

  constructor(kinds: readonly KindHost[], create: (kind: KindHost) => Promise<void>) {
    this.#kinds = kinds;
    this.#create = create;
  }

  /** Starts a kind that is enabled; does nothing when it runs. @throws BacklotError when it cannot start */
  wake(name: string): Promise<void> {
    const kind = this.#kinds.find((each) => each.kind === name);
    if (kind?.enabled !== true) return Promise.resolve();
    const owner = kind.giver ?? kind;
    let waking = this.#waking.get(owner);
    if (waking === undefined) {
      waking = this.#start(owner);
      this.#waking.set(owner, waking);
      waking.catch(() => this.#waking.delete(owner));
    }
    return waking;
  }

  /** Starts kinds by name. @throws BacklotError `invalid` for names of kinds that are not enabled */
  async wakeAll(names: readonly string[]): Promise<void> {
    const able = this.#kinds.filter(({ enabled }) => enabled).map(({ kind }) => kind);
    const problems = names
      .map((name, index) => ({ name, path: `/protocols/${index}` }))
      .filter(({ name }) => !able.includes(name))
      .map(({ name, path }) => ({
        path,
        message: `must be a protocol that this server runs (${able.join(', ') || 'none'}), got ${show(name)}`,
      }));
    const [first] = problems;
    if (first !== undefined) throw invalid(`space ${first.path}: ${first.message}`, problems);
    await Promise.all(names.map((name) => this.wake(name)));
  }

  /** Starts nothing more, and waits for what is being started. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.allSettled(this.#waking.values());
  }

  async #start(owner: KindHost): Promise<void> {
    if (this.#isClosed) throw new BacklotError('not_enabled', 'the space ends');
    const group = this.#kinds.filter((kind) => kind.enabled && (kind === owner || kind.giver === owner));
    try {
      for (const kind of group) {
        await this.#create(kind);
        kind.keepFirst();
      }
      admitGuests(group);
      await startKinds(group);
    } catch (thrown) {
      await stopServices(group, 0);
      throw thrown;
    }
  }
}
