import type { SpaceDoor } from '@backlot/core/plugin';
import type { Connection } from '@backlot/kit';
import type { DataChannel } from '../data/data-channel.js';
import type { Fact } from '../files/format-entry.js';
import type { IndexedFile } from '../mock-index.js';
import type { LibraryClient } from '../library/ftp-library.js';
import type { Services } from '../session/services.js';
import type { FtpExchange } from '../shape.js';

/** What a command may see and do: the session that it was given in. */
export interface CommandContext {
  /** What all sessions share. */
  readonly services: Services;
  /** The control connection. */
  readonly connection: Connection;
  /** The library's side of the session, which knows who is logged in. */
  readonly library: Pick<LibraryClient, 'login'>;
  /** Whether somebody has logged in; {@link logIn} sets it. */
  readonly isLoggedIn: boolean;
  /** Whether the client has ended its side of the connection. */
  readonly hasLeft: boolean;
  /** The user name of USER; empty before. */
  username: string;
  /** The current directory, from the root. */
  directory: string;
  /** How data is sent (TYPE): lines of text, or bytes as they are. */
  type: 'A' | 'I';
  /** Where the next transfer begins, in bytes (REST). */
  restart: number;
  /** The path of RNFR, until RNTO. */
  renameFrom: string | undefined;
  /** Whether PBSZ was given, which PROT needs. */
  hasBufferSize: boolean;
  /** Whether data connections are encrypted (PROT). */
  isProtected: boolean;
  /** EPSV ALL: no other way to make data connections is taken any more (RFC 2428, section 4). */
  isExtendedOnly: boolean;
  /** The facts that MLST and MLSD show (OPTS MLST). */
  facts: readonly Fact[];
  /** Whether a data connection is being made or used. */
  isTransferring: boolean;
  /** The exchange whose answer a delay holds back; it is given up when the client leaves. */
  delayed: FtpExchange | undefined;
  /** What SIZE has measured: the next download of that file is to have that size. */
  measured: { readonly file: IndexedFile; readonly bytes: Uint8Array } | undefined;
  /** The last PASV, EPSV, PORT or EPRT, until a transfer has used it. */
  channel: DataChannel | undefined;
  /** Sends a reply of one or more lines. */
  reply(code: number, ...lines: readonly string[]): void;
  /** Sends a last reply and ends the connection. */
  refuse(code: number, text: string): void;
  /** Goes on in the space that the client has named. */
  enter(door: SpaceDoor): Promise<void>;
  /** Back to what it was before anybody logged in (REIN, AUTH). */
  restartSession(): void;
  /** Somebody has logged in. */
  logIn(): void;
  /** Gives up the data connection that was asked for. */
  closeChannel(): void;
  /** Takes the offset of REST, which holds for one transfer only. */
  takeRestart(): number;
}
