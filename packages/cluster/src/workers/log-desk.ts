import type { CountPlace } from '../log.js';
import type { Told } from '../peers.js';
import type { Channel } from './channel.js';
import { MemoryLog } from './memory-log.js';

/** Keeps the log and the counts for all workers, and passes on what they tell each other. */
export class LogDesk {
  readonly #log = new MemoryLog();
  /** Those that listen, with what each has told last. */
  readonly #listening = new Map<Channel, string | undefined>();

  /** Answers what a worker asks of the log. */
  serve(channel: Channel): void {
    channel
      .on('log.listen', () => void this.#listening.set(channel, undefined))
      .on('log.found', (text: string) => this.#log.found(text))
      .on('log.append', ({ text, id }: { text: string; id: string }) => this.append(text, id))
      .on('log.read', ({ after, most }: { after: number; most: number }) => this.#log.read(after, most))
      .on('log.last', () => this.#log.last)
      .on('log.remove', (revision: number) => this.#log.remove(revision))
      .on('log.count', ({ place, by, limit }: { place: CountPlace; by: number; limit: number }) =>
        this.#log.count(place, by, limit),
      )
      .on('log.forget', ({ world, before }: { world: string; before: number }) =>
        this.#log.forgetCounts(world, before),
      )
      .on('log.tell', (text: string) => {
        if (this.#listening.has(channel)) this.#listening.set(channel, text);
        this.#tell('told', text);
      });
  }

  /** Adds an entry, and says so to all. @returns its revision */
  append(text: string, id: string): number {
    const revision = this.#log.append(text, id);
    this.#tell('grown');
    return revision;
  }

  /** Says in the name of a worker that it has left: nobody waits for one that has ended. */
  leave(channel: Channel): void {
    const last = this.#listening.get(channel);
    this.#listening.delete(channel);
    if (last === undefined) return;
    const told = JSON.parse(last) as Told;
    this.#tell('told', JSON.stringify({ ...told, leaves: true } satisfies Told));
  }

  #tell(what: string, text?: string): void {
    for (const channel of this.#listening.keys()) channel.tell(what, text);
  }
}
