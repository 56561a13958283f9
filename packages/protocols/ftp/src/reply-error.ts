/** A command that fails with this reply; thrown where it is found out, answered by the session. */
export class ReplyError extends Error {
  readonly code: number;

  /**
   * @param code - the reply code, 400 to 599 (RFC 959, section 4.2)
   * @param text - the reply's text, one line
   */
  constructor(code: number, text: string) {
    super(text);
    this.name = 'ReplyError';
    this.code = code;
  }
}
