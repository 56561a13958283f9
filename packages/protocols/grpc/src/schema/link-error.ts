/** A file that does not fit the others. */
export class LinkError extends Error {
  /** @param file - the name of the file that is wrong */
  constructor(
    readonly file: string,
    message: string,
  ) {
    super(`${file}: ${message}`);
  }
}
