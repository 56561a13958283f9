import { ComposedIndex, PatternIndex, type Candidates, type Change } from '@backlot/core/plugin';
import { isContainer } from './commands/table.js';
import type { CompiledRedis } from './matcher.js';
import { rootOf, type RedisMessage } from './message.js';

/** What stands for any command. */
const ANY = '*';

type Held = Candidates<CompiledRedis>;

/** Finds mocks by command and key: the cost does not grow with the number of mocks for other commands and keys. */
export class CommandIndex extends ComposedIndex<RedisMessage, CompiledRedis> {
  readonly #byCommand = new Map<string, PatternIndex<Held>>();
  /** The mocks for any command, which are looked at for each. */
  #any: PatternIndex<Held> | undefined;
  /** Whether some mock is for all subcommands of a command. */
  #hasContainers = false;
  /** The command that was asked for last, and its mocks: most come many times one behind the other. */
  #lastCommand = '';
  #lastKeys: PatternIndex<Held> | undefined;

  /** Whether there is a mock for some command. */
  get isEmpty(): boolean {
    return this.#byCommand.size === 0;
  }

  find({ method, path }: RedisMessage, found: Held[]): void {
    if (method !== this.#lastCommand) {
      this.#lastCommand = method;
      this.#lastKeys = this.#byCommand.get(method);
    }
    this.#lastKeys?.find(path, found);
    if (this.#hasContainers) {
      const root = rootOf(method);
      if (root !== undefined) this.#byCommand.get(root)?.find(path, found);
    }
    this.#any?.find(path, found);
  }

  protected change({ command, keyHints }: CompiledRedis, change: Change<Held>): void {
    const known = this.#byCommand.get(command);
    const keys = known ?? new PatternIndex<Held>();
    keys.change(keyHints, change);
    this.#lastCommand = '';
    this.#lastKeys = undefined;
    if (keys.isEmpty) this.#byCommand.delete(command);
    else if (known === undefined) this.#byCommand.set(command, keys);
    else return;
    this.#any = this.#byCommand.get(ANY);
    this.#hasContainers = [...this.#byCommand.keys()].some((name) => isContainer(name.toLowerCase()));
  }
}
