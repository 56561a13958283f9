import type { Message, Miss } from '@backlot/core/plugin';
import type { ConnectionAuth } from './ntlm/connection.js';

/** Values by name: headers in lower case, or decoded query parameters. */
export type Values = Readonly<Record<string, string | readonly string[]>>;

/** What authentication reads of a request. */
export interface AuthInput {
  /**
   * Names in lower case, values with one character per byte as Node gives them. It must be the same object each
   * time the same request is tested: a digest answer is good once, and this object tells a second test of a
   * request (by another mock, say) from a replay.
   */
  readonly headers: Values;
  readonly query: Values;
  /** The method as sent; digest answers cover it. */
  readonly method: string;
  /** The raw request target as sent, not decoded: digest answers cover it. */
  readonly target: string;
  /**
   * The state of the client's connection; absent when there is none, as for a message that is only explained. Then
   * NTLM cannot match, and the use of a digest nonce is neither checked nor remembered.
   */
  readonly connection: ConnectionAuth | undefined;
  /** The body's bytes, read for digest with `auth-int` only; absent is empty. */
  readonly body?: Uint8Array;
  /** The request itself, for patterns that ask for more of it. */
  readonly message?: Message;
}

/** The answer that asks the client for credentials. The connection must stay open for ntlm. */
export interface HttpChallenge {
  readonly status: 401;
  /** `www-authenticate`; a list stands for one header line each. */
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  /** What was missing or wrong, for a body or a log; holds no secret. */
  readonly reason: string;
}

/** The request's credentials fit, why they do not, or how to ask for them. */
export type AuthResult = true | Miss | { readonly challenge: HttpChallenge };

/** A compiled `auth` field. */
export interface CompiledAuth {
  /** Whether the request carries the credentials. Never throws, whatever the client sent. */
  test(input: AuthInput): AuthResult;
}
