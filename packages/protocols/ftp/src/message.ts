import type { Message } from '@backlot/core/plugin';

/** A command that files answer, as matchers of core, templates and the journal see it. */
export class FtpMessage implements Message {
  readonly method: string;
  readonly path: string;
  readonly remote: string;
  readonly extras: { readonly username: string };
  /** What was uploaded. It arrives after the command was let through, and is read when the exchange is done. */
  body?: Uint8Array;

  /**
   * @param method - the command, in upper case
   * @param path - the file or directory, from the root
   */
  constructor(method: string, path: string, remote: string, username: string) {
    this.method = method;
    this.path = path;
    this.remote = remote;
    this.extras = { username };
  }
}

/** Makes a command of what `POST /api/explain/ftp` is given. */
export function explainEntry({ method, path }: Readonly<Record<string, unknown>>): FtpMessage {
  return new FtpMessage(
    typeof method === 'string' ? method : 'RETR',
    typeof path === 'string' ? path : '/',
    '',
    '',
  );
}
