import { createHash } from 'node:crypto';
import { GraphQLError } from 'graphql';
import type { GraphqlRequest } from '../wire/graphql-request.js';

/** Documents that clients have registered. */
const MAX_REGISTERED = 1000;
/** What all of them may hold, in characters. */
const MAX_TEXT = 4 * 1024 * 1024;
const NOT_FOUND = 'PERSISTED_QUERY_NOT_FOUND';
const HASH = /^[0-9a-f]{64}$/i;

/**
 * Documents that clients name in place of sending them: those of the configuration by their ids, and those that clients
 * have registered by the SHA-256 of their text, as Apollo's automatic persisted queries have it. Of the latter those
 * that nobody has asked for longest go first; a client registers such a one again.
 */
export class PersistedDocuments {
  readonly #listed: ReadonlyMap<string, string>;
  readonly #registered = new Map<string, string>();
  #size = 0;

  /** @param listed - those of the configuration, by id */
  constructor(listed: ReadonlyMap<string, string>) {
    this.#listed = listed;
  }

  /**
   * The text of the document that a request means.
   *
   * @throws GraphQLError for one that is not known, or is not what the request says
   */
  textOf({ query, documentId, extensions }: GraphqlRequest): string {
    const hash = hashOf(extensions?.['persistedQuery']);
    if (query !== undefined) {
      if (hash !== undefined) this.#register(hash, query);
      return query;
    }
    const id = documentId ?? hash ?? '';
    const found = this.#listed.get(id.replace(/^sha256:/, '')) ?? this.#listed.get(id) ?? this.#touch(id);
    if (found !== undefined) return found;
    throw new GraphQLError('PersistedQueryNotFound', { extensions: { code: NOT_FOUND } });
  }

  /** Forgets what clients have registered. */
  clear(): void {
    this.#registered.clear();
    this.#size = 0;
  }

  #register(hash: string, query: string): void {
    if (this.#touch(hash) === query) return;
    if (createHash('sha256').update(query).digest('hex') !== hash)
      throw new GraphQLError(`the document has another SHA-256 than sha256Hash says, ${hash}`, {
        extensions: { code: 'BAD_REQUEST' },
      });
    if (query.length > MAX_TEXT) return;
    this.#registered.set(hash, query);
    this.#size += query.length;
    for (const [oldest, text] of this.#registered) {
      if (this.#registered.size <= MAX_REGISTERED && this.#size <= MAX_TEXT) return;
      this.#registered.delete(oldest);
      this.#size -= text.length;
    }
  }

  /** Finds a registered one, which then is the last to go. */
  #touch(hash: string): string | undefined {
    const found = this.#registered.get(hash);
    if (found === undefined) return undefined;
    this.#registered.delete(hash);
    this.#registered.set(hash, found);
    return found;
  }
}

/** Whether what reading a request has thrown is that its document is not known. */
export function isUnknownDocument(thrown: unknown): boolean {
  return thrown instanceof GraphQLError && thrown.extensions['code'] === NOT_FOUND;
}

function hashOf(persisted: unknown): string | undefined {
  if (persisted === undefined || persisted === null) return undefined;
  const { version, sha256Hash: hash } = persisted as { version?: unknown; sha256Hash?: unknown };
  if (version !== 1 || typeof hash !== 'string' || !HASH.test(hash))
    throw new GraphQLError(
      'extensions.persistedQuery must have the version 1 and a sha256Hash of 64 hexadecimal digits',
      { extensions: { code: 'PERSISTED_QUERY_NOT_SUPPORTED' } },
    );
  return hash.toLowerCase();
}
