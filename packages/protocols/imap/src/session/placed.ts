import type { Context, ExchangeFor, SpaceDoor } from '@backlot/core/plugin';
import type { ImapShape } from '../shape.js';
import type { Services } from './services.js';

/** A session whose client may name a space. */
export interface Placed {
  readonly context: Services['context'];
  /** Goes on in that space. */
  enter(door: SpaceDoor): Promise<void>;
  /**
   * Goes on with a login in the space that it names, `t1` or `t1+user`.
   *
   * @param goOn - given who logs in there
   */
  logInAs<T>(name: string, goOn: (user: string) => T | Promise<T>): T | Promise<T>;
}

/** Does what `logInAs` of a session does. */
export function logInAs<T>(
  session: Pick<Placed, 'context' | 'enter'>,
  name: string,
  goOn: (user: string) => T | Promise<T>,
): T | Promise<T> {
  const proceed = (): T | Promise<T> => goOn(session.context.spaces.userOf(name) ?? name);
  const door = session.context.spaces.ofLogin(name);
  return door === undefined ? proceed() : session.enter(door).then(proceed);
}

/** Gives the exchange of a command, which begins when somebody asks: a login is of the world that it names. */
export function exchangeOf(
  session: Pick<Placed, 'context'>,
  message: Parameters<Context<ImapShape>['receive']>[0],
): () => ExchangeFor<ImapShape> {
  let made: ExchangeFor<ImapShape> | undefined;
  return () => (made ??= session.context.receive(message));
}
