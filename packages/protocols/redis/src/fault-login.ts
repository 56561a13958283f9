import type { Context } from '@backlot/core/plugin';
import { rollLogin, type Connection } from '@backlot/kit';
import type { RedisShape } from './shape.js';
import { ERRORS } from './wire/errors.js';
import { error } from './wire/reply.js';
import { toWire } from './wire/text.js';

/**
 * Lets the kind's fault delay and refuse a login.
 *
 * @param goOn - called with the error that refuses it, or with `undefined`; not when the client leaves meanwhile
 * @param hold - called where the login is delayed: holds up what follows it, until what it gives is called
 */
export function faultLogin(
  context: Context<RedisShape>,
  connection: Connection,
  goOn: (refusal: string | undefined) => void,
  hold: () => () => void,
): void {
  const rolled = rollLogin(context);
  const decide = (refusal: Exclude<typeof rolled, Promise<unknown>>): void =>
    goOn(refusal && error(toWire(refusal.error ?? ERRORS.wrongPass)));
  if (!(rolled instanceof Promise)) return decide(rolled);
  const release = hold();
  void rolled.then(
    connection.isolate((refusal) => {
      if (!connection.isClosed) decide(refusal);
      release();
    }),
  );
}
