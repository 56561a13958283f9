import type { ImportNotes } from '../contract/imports.js';

/** How many different notes of one import are kept of each sort. */
const MOST = 500;

/** Something that could not be carried over as it was. */
export interface ImportNote {
  /** Where it stands in the file, where it was met first. */
  readonly place: string;
  readonly message: string;
  /** How often it was met. */
  readonly count: number;
}

/** The notes of one import. */
export class NotedImport implements ImportNotes {
  readonly #approximated = new NoteList();
  readonly #refused = new NoteList();

  approximated(place: string, message: string): void {
    this.#approximated.add(place, message);
  }

  refused(place: string, message: string): void {
    this.#refused.add(place, message);
  }

  get approximations(): readonly ImportNote[] {
    return this.#approximated.list();
  }

  get refusals(): readonly ImportNote[] {
    return this.#refused.list();
  }
}

class NoteList {
  readonly #byMessage = new Map<string, { place: string; count: number }>();
  #further = 0;

  add(place: string, message: string): void {
    const known = this.#byMessage.get(message);
    if (known !== undefined) known.count += 1;
    else if (this.#byMessage.size < MOST) this.#byMessage.set(message, { place, count: 1 });
    else this.#further += 1;
  }

  list(): readonly ImportNote[] {
    const notes = Array.from(this.#byMessage, ([message, { place, count }]) => ({ place, message, count }));
    if (this.#further > 0)
      notes.push({ place: '', message: 'further notes that are not listed', count: this.#further });
    return notes;
  }
}
