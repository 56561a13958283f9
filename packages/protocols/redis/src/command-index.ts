import {
  withMock,
  withoutMock,
  type Candidates,
  type IndexedMock,
  type MockIndex,
} from '@backlot/core/plugin';
import { isContainer } from './commands/table.js';
import type { CompiledRedis } from './matcher.js';
import { rootOf, type RedisMessage } from './redis-message.js';

/** What stands for any command. */
const ANY = '*';

type Held = Candidates<CompiledRedis>;
type Indexed = IndexedMock<CompiledRedis>;

/** The mocks of one command: by the key they name, and by how their keys begin. */
class KeyIndex {
  readonly #exact = new Map<string, Held>();
  readonly #prefixed = new Map<string, Held>();
  /** How many prefixes there are of each length: one look-up for each length finds them all. */
  readonly #lengths = new Map<number, number>();

  get isEmpty(): boolean {
    return this.#exact.size === 0 && this.#prefixed.size === 0;
  }

  add(mock: Indexed): void {
    const { exact, prefix } = mock.compiled;
    if (exact !== undefined) {
      this.#exact.set(exact, withMock(this.#exact.get(exact), mock));
      return;
    }
    const held = this.#prefixed.get(prefix);
    if (held === undefined) this.#lengths.set(prefix.length, (this.#lengths.get(prefix.length) ?? 0) + 1);
    this.#prefixed.set(prefix, withMock(held, mock));
  }

  remove(mock: Indexed): void {
    const { exact, prefix } = mock.compiled;
    const [map, key] = exact !== undefined ? [this.#exact, exact] : [this.#prefixed, prefix];
    const left = withoutMock(map.get(key), mock);
    if (left !== undefined) {
      map.set(key, left);
      return;
    }
    map.delete(key);
    if (map !== this.#prefixed) return;
    const count = (this.#lengths.get(key.length) ?? 1) - 1;
    if (count === 0) this.#lengths.delete(key.length);
    else this.#lengths.set(key.length, count);
  }

  find(key: string, found: Held[]): void {
    const exact = this.#exact.get(key);
    if (exact !== undefined) found.push(exact);
    if (this.#prefixed.size === 0) return;
    for (const length of this.#lengths.keys()) {
      if (length > key.length) continue;
      const held = this.#prefixed.get(key.slice(0, length));
      if (held !== undefined) found.push(held);
    }
  }
}

/** Finds mocks by command and key: the cost does not grow with the number of mocks for other commands and keys. */
export class CommandIndex implements MockIndex<RedisMessage, CompiledRedis> {
  readonly #byCommand = new Map<string, KeyIndex>();
  /** The mocks for any command, which are looked at for each. */
  #any: KeyIndex | undefined;
  /** Whether some mock is for all subcommands of a command. */
  #hasContainers = false;

  /** Whether there is a mock for some command. */
  get isEmpty(): boolean {
    return this.#byCommand.size === 0;
  }

  add(mock: Indexed): void {
    const { command } = mock.compiled;
    let keys = this.#byCommand.get(command);
    if (keys === undefined) {
      this.#byCommand.set(command, (keys = new KeyIndex()));
      this.#noteCommands();
    }
    keys.add(mock);
  }

  remove(mock: Indexed): void {
    const { command } = mock.compiled;
    const keys = this.#byCommand.get(command);
    keys?.remove(mock);
    if (keys?.isEmpty !== true) return;
    this.#byCommand.delete(command);
    this.#noteCommands();
  }

  find({ method, path }: RedisMessage, found: Held[]): void {
    this.#byCommand.get(method)?.find(path, found);
    if (this.#hasContainers) {
      const root = rootOf(method);
      if (root !== undefined) this.#byCommand.get(root)?.find(path, found);
    }
    this.#any?.find(path, found);
  }

  #noteCommands(): void {
    this.#any = this.#byCommand.get(ANY);
    this.#hasContainers = [...this.#byCommand.keys()].some((command) => isContainer(command.toLowerCase()));
  }
}
