import { sinceOf, type CountPlace, type LogEntry } from '../log.js';

/** How many of the newest entries are recognised when they are sent again. */
const KNOWN = 1_000;

/** A log in the memory of one process, which others ask. */
export class MemoryLog {
  readonly #entries = new Map<number, string>();
  readonly #known = new Map<string, number>();
  readonly #counts = new Map<string, number>();
  #last = 0;

  get last(): number {
    return this.#last;
  }

  /** See `CommandLog.found`. */
  found(text: string): void {
    if (this.#last === 0) this.#add(text);
  }

  /** See `CommandLog.append`. */
  append(text: string, id: string): number {
    const known = this.#known.get(id);
    if (known !== undefined) return known;
    const revision = this.#add(text);
    this.#known.set(id, revision);
    if (this.#known.size > KNOWN) {
      const [oldest] = this.#known.keys();
      if (oldest !== undefined) this.#known.delete(oldest);
    }
    return revision;
  }

  #add(text: string): number {
    this.#last += 1;
    this.#entries.set(this.#last, text);
    return this.#last;
  }

  /** See `CommandLog.read`. */
  read(after: number, most: number): readonly LogEntry[] {
    const found: LogEntry[] = [];
    for (let revision = after + 1; revision <= this.#last && found.length < most; revision += 1) {
      const text = this.#entries.get(revision);
      if (text !== undefined) found.push({ revision, text });
    }
    return found;
  }

  remove(revision: number): void {
    this.#entries.delete(revision);
  }

  /** See `CommandLog.count`. */
  count(
    { world, since, name }: CountPlace,
    by: number,
    limit: number,
  ): { readonly before: number; readonly after: number } {
    const key = `${world}.${since}.${name}`;
    const before = this.#counts.get(key) ?? 0;
    const after = Math.max(before, Math.min(before + by, limit));
    if (after > before) this.#counts.set(key, after);
    return { before, after };
  }

  /** See `CommandLog.forgetCounts`. */
  forgetCounts(world: string, before: number): void {
    for (const key of this.#counts.keys())
      if (key.startsWith(`${world}.`) && sinceOf(key) < before) this.#counts.delete(key);
  }
}
