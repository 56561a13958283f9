import { randomBytes } from 'node:crypto';
import { agreeOnFlags, writeChallenge, type AuthenticateMessage, type NegotiateMessage } from './messages.js';
import { verify, type NtlmCredentials } from './verify.js';

/** What one connection has said about who its client is; made by {@link newConnectionAuth}. */
export interface ConnectionAuth {
  /** Who the client says it is since its last complete handshake; a mock decides what that proves. */
  readonly user: { readonly name: string; readonly domain: string } | undefined;
  /** Whether a type 2 message was sent and a type 3 message can be checked against it. */
  readonly isChallenged: boolean;
  /** The flags agreed on with the client; 0 before. */
  readonly agreedFlags: number;
  /** The type 2 message that answers a type 1 message; the same one for each mock that asks. */
  challenge(message: NegotiateMessage, target: string): Buffer;
  /** Remembers a type 3 message as the client's identity, in place of an earlier one. */
  authenticate(message: AuthenticateMessage): void;
  /**
   * Whether the client's type 3 message proves these credentials.
   *
   * @returns true, or a sentence that says why not
   */
  proves(credentials: NtlmCredentials): true | string;
}

/** The authentication state of a new connection. It takes no memory worth counting until NTLM is used. */
export function newConnectionAuth(): ConnectionAuth {
  return new NtlmConnection();
}

/**
 * Mocks with different credentials share the connection, so what is kept is the client's message; each mock checks
 * it with its own credentials, once.
 */
class NtlmConnection implements ConnectionAuth {
  #serverChallenge: Buffer | undefined;
  #agreedFlags = 0;
  #message: AuthenticateMessage | undefined;
  #verdicts = new WeakMap<NtlmCredentials, true | string>();

  get user(): ConnectionAuth['user'] {
    return this.#message && { name: this.#message.user, domain: this.#message.domain };
  }

  get isChallenged(): boolean {
    return this.#serverChallenge !== undefined;
  }

  get agreedFlags(): number {
    return this.#agreedFlags;
  }

  challenge(message: NegotiateMessage, target: string): Buffer {
    if (this.#message !== undefined) {
      // A client that starts over is somebody new, and a challenge is answered once.
      this.#message = undefined;
      this.#serverChallenge = undefined;
    }
    this.#serverChallenge ??= randomBytes(8);
    this.#agreedFlags = agreeOnFlags(message.flags);
    return writeChallenge(this.#agreedFlags, this.#serverChallenge, target);
  }

  authenticate(message: AuthenticateMessage): void {
    if (this.#message === undefined || !isSame(this.#message, message)) {
      this.#message = message;
      this.#verdicts = new WeakMap();
    }
  }

  proves(credentials: NtlmCredentials): true | string {
    if (this.#serverChallenge === undefined || this.#message === undefined) {
      return 'NTLM handshake is not complete';
    }
    const known = this.#verdicts.get(credentials);
    if (known !== undefined) {
      return known;
    }
    const verdict = verify(this.#message, this.#serverChallenge, credentials);
    this.#verdicts.set(credentials, verdict);
    return verdict;
  }
}

function isSame(one: AuthenticateMessage, other: AuthenticateMessage): boolean {
  return (
    one.user === other.user &&
    one.domain === other.domain &&
    one.ntResponse.equals(other.ntResponse) &&
    one.lmResponse.equals(other.lmResponse)
  );
}
