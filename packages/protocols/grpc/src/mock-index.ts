import {
  ComposedIndex,
  ExactIndex,
  type Candidates,
  type Change,
  type IndexedMock,
} from '@backlot/core/plugin';
import type { CompiledGrpc } from './matcher.js';
import type { GrpcMessage } from './message.js';
import { methodKeys } from './schema/method-keys.js';
import { SchemaRegistry } from './schema/registry.js';

type Held = Candidates<CompiledGrpc>;

/** Mocks by the name of their method, and the schemas of the same host. */
export class MethodIndex extends ComposedIndex<GrpcMessage, CompiledGrpc> {
  readonly registry = new SchemaRegistry();
  /** By method; those with a pattern are held under `undefined`. */
  readonly #byKey = new ExactIndex<string | undefined, Held>();
  /** How many mocks may answer before the first request message has come. */
  #early = 0;

  override add(mock: IndexedMock<CompiledGrpc>): void {
    if (mock.compiled.isEarly) this.#early += 1;
    super.add(mock);
  }

  override remove(mock: IndexedMock<CompiledGrpc>): void {
    if (mock.compiled.isEarly) this.#early -= 1;
    super.remove(mock);
  }

  find(message: GrpcMessage, found: Held[]): void {
    for (const key of message.keys) this.#byKey.find(key, found);
    this.#byKey.find(undefined, found);
  }

  /** Whether some mock may answer before the first request message has come. */
  get hasEarly(): boolean {
    return this.#early > 0;
  }

  /** Whether a mock names this very method together with its service. */
  names(path: string): boolean {
    const keys = methodKeys(path);
    return keys.some((key) => key.includes('/') && this.#byKey.get(key) !== undefined);
  }

  /** Whether a mock names a method of the service. */
  serves(service: string): boolean {
    for (const key of this.#byKey.keys()) if (key?.startsWith(`${service}/`) === true) return true;
    return false;
  }

  protected change({ key }: CompiledGrpc, change: Change<Held>): void {
    this.#byKey.change(key, change);
  }
}
