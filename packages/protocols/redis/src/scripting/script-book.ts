import { createHash } from 'node:crypto';

/** Most scripts that are kept, and most bytes of them: beyond that those that came first are forgotten. */
const MAX_SCRIPTS = 10_000;
const MAX_BYTES = 64 * 1024 * 1024;

/** A script that was given with EVAL or SCRIPT LOAD. */
export interface Script {
  readonly sha: string;
  readonly text: string;
  /** What its first line says (`#!lua flags=...`); `undefined` for a script without such a line. */
  readonly flags: ReadonlySet<string> | undefined;
  /** Where it is in the registry of Lua, once it was compiled. */
  chunk: number;
  /** The Lua whose registry that is: one that is made anew knows no script. */
  engine: object | undefined;
}

/** The scripts that EVALSHA knows. */
export class ScriptBook {
  readonly #scripts = new Map<string, Script>();
  readonly #forget: (script: Script) => void;
  #bytes = 0;

  /** @param forget - called for each script that is kept no longer */
  constructor(forget: (script: Script) => void) {
    this.#forget = forget;
  }

  get size(): number {
    return this.#scripts.size;
  }

  get bytes(): number {
    return this.#bytes;
  }

  get(sha: string): Script | undefined {
    return this.#scripts.get(sha);
  }

  add(script: Script): void {
    this.#scripts.set(script.sha, script);
    this.#bytes += script.text.length;
    for (const [sha, old] of this.#scripts) {
      if (this.#scripts.size <= MAX_SCRIPTS && this.#bytes <= MAX_BYTES) break;
      if (old === script) break;
      this.#scripts.delete(sha);
      this.#bytes -= old.text.length;
      this.#forget(old);
    }
  }

  clear(): void {
    this.#scripts.clear();
    this.#bytes = 0;
  }
}

/** The name of a script: the SHA-1 of its bytes, 40 hexadecimal digits. */
export function shaOf(text: string): string {
  return createHash('sha1').update(text, 'latin1').digest('hex');
}
