import type { Message } from './message.js';

/** Where the server of a kind is reached, for a command line. */
export interface CommandPlace {
  readonly host: string;
  readonly port: number;
  /** Whether it is TLS from the first byte on. */
  readonly tls: boolean;
  /** The connection url of the kind. */
  readonly url: string;
}

/** How people send a message of the log again from a shell. */
export interface CommandDeclaration {
  /** The program, such as `curl`. */
  readonly tool: string;
  /** A message to begin with, that a server without any mocks takes too; its line stands where nothing has come yet. */
  readonly example?: Omit<Message, 'remote'>;
  /**
   * Writes the line, for a POSIX shell or bash. All that comes from the message goes through `shellWord` or one of the functions
   * beside it: it is hostile text.
   *
   * @param message - of one with a large body only the common fields
   * @returns undefined for a message that the program cannot send
   */
  write(message: Message, place: CommandPlace): string | undefined;
}
