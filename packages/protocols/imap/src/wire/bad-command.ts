/** A command that cannot be read: it is answered with BAD and this text. */
export class BadCommand extends Error {
  override readonly name = 'BadCommand';
}

/** A command that cannot be done: it is answered with NO and this text, which may begin with a response code. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
}
