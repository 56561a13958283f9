import { NotSentError, type CommandLog, type CountPlace, type LogEntry, type LogEvents } from '../log.js';
import type { Channel } from './channel.js';

/** What keeps the log, for people. */
export const FIRST_PROCESS = 'the process that has started the workers';
const MOST_BYTES = 64 * 1024 * 1024;

/** The log of the process that has started this one. */
export class WorkerLog implements CommandLog {
  readonly engine = FIRST_PROCESS;
  readonly mostBytes = MOST_BYTES;
  readonly #channel: Channel;

  constructor(channel: Channel) {
    this.#channel = channel;
  }

  get isReached(): boolean {
    return this.#channel.isOpen;
  }

  async listen(events: LogEvents): Promise<void> {
    this.#channel.on('grown', () => events.grown());
    this.#channel.on('told', (text: string) => events.told(text));
    await this.#channel.ask('log.listen');
  }

  async found(text: string): Promise<void> {
    await this.#channel.ask('log.found', text);
  }

  async append(text: string, id: string): Promise<number> {
    if (!this.isReached) throw new NotSentError(this.engine);
    return (await this.#channel.ask('log.append', { text, id })) as number;
  }

  async read(after: number, most: number): Promise<readonly LogEntry[]> {
    return (await this.#channel.ask('log.read', { after, most })) as readonly LogEntry[];
  }

  async last(): Promise<number> {
    return (await this.#channel.ask('log.last')) as number;
  }

  async remove(revision: number): Promise<void> {
    await this.#channel.ask('log.remove', revision);
  }

  async count(place: CountPlace, by: number, limit: number): ReturnType<CommandLog['count']> {
    return (await this.#channel.ask('log.count', { place, by, limit })) as {
      readonly before: number;
      readonly after: number;
    };
  }

  async forgetCounts(world: string, before: number): Promise<void> {
    await this.#channel.ask('log.forget', { world, before });
  }

  tell(text: string): void {
    this.#channel.tell('log.tell', text);
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}
