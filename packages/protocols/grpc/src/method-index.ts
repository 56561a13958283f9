import {
  withMock,
  withoutMock,
  type Candidates,
  type IndexedMock,
  type MockIndex,
} from '@backlot/core/plugin';
import type { CompiledGrpc } from './matcher.js';
import type { GrpcMessage } from './message.js';
import { methodKeys } from './schema/method-keys.js';
import { SchemaRegistry } from './schema/registry.js';

/** Mocks by the name of their method, and the schemas of the same host. */
export class MethodIndex implements MockIndex<GrpcMessage, CompiledGrpc> {
  readonly registry = new SchemaRegistry();
  readonly #byKey = new Map<string, Candidates<CompiledGrpc>>();
  #patterns: Candidates<CompiledGrpc> | undefined;
  /** How many mocks may answer before the first request message has come. */
  #early = 0;

  add(mock: IndexedMock<CompiledGrpc>): void {
    const { key, isEarly } = mock.compiled;
    if (isEarly) this.#early += 1;
    if (key === undefined) this.#patterns = withMock(this.#patterns, mock);
    else this.#byKey.set(key, withMock(this.#byKey.get(key), mock));
  }

  remove(mock: IndexedMock<CompiledGrpc>): void {
    const { key, isEarly } = mock.compiled;
    if (isEarly) this.#early -= 1;
    if (key === undefined) {
      this.#patterns = withoutMock(this.#patterns, mock);
      return;
    }
    const rest = withoutMock(this.#byKey.get(key), mock);
    if (rest === undefined) this.#byKey.delete(key);
    else this.#byKey.set(key, rest);
  }

  find(message: GrpcMessage, found: Candidates<CompiledGrpc>[]): void {
    for (const key of message.keys) {
      const candidates = this.#byKey.get(key);
      if (candidates !== undefined) found.push(candidates);
    }
    if (this.#patterns !== undefined) found.push(this.#patterns);
  }

  /** Whether some mock may answer before the first request message has come. */
  get hasEarly(): boolean {
    return this.#early > 0;
  }

  /** Whether a mock names this very method together with its service. */
  names(path: string): boolean {
    const keys = methodKeys(path);
    return keys.some((key) => key.includes('/') && this.#byKey.has(key));
  }

  /** Whether a mock names a method of the service. */
  serves(service: string): boolean {
    for (const key of this.#byKey.keys()) if (key.startsWith(`${service}/`)) return true;
    return false;
  }
}
