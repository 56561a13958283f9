import {
  PatternIndex,
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

/** Finds mocks by command and key: the cost does not grow with the number of mocks for other commands and keys. */
export class CommandIndex implements MockIndex<RedisMessage, CompiledRedis> {
  readonly #byCommand = new Map<string, PatternIndex<Held>>();
  /** The mocks for any command, which are looked at for each. */
  #any: PatternIndex<Held> | undefined;
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
      this.#byCommand.set(command, (keys = new PatternIndex<Held>()));
      this.#noteCommands();
    }
    keys.change(mock.compiled.keyHints, (held) => withMock(held, mock));
  }

  remove(mock: Indexed): void {
    const { command } = mock.compiled;
    const keys = this.#byCommand.get(command);
    keys?.change(mock.compiled.keyHints, (held) => withoutMock(held, mock));
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
