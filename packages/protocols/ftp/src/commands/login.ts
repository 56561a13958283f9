import { rollLogin } from '@backlot/kit';
import { ReplyError } from '../reply-error.js';
import type { Command } from './command.js';
import { needArgument } from './need-argument.js';

/** USER: who wants to log in; again at any time. */
export const user: Command = {
  syntax: 'USER <name>',
  beforeLogin: true,
  run: async (session, argument) => {
    needArgument(argument);
    const door = session.services.context.spaces.ofLogin(argument);
    if (door !== undefined) await session.enter(door);
    session.restartSession();
    session.username = session.services.context.spaces.userOf(argument) ?? argument;
    session.reply(331, 'the password, please');
  },
};

/** PASS: with which password. */
export const pass: Command = {
  syntax: 'PASS <password>',
  beforeLogin: true,
  run: async (session, argument) => {
    if (session.username === '') throw new ReplyError(503, 'USER comes first');
    if (session.isLoggedIn) throw new ReplyError(503, 'you are logged in already');
    const rolled = rollLogin(session.services.context);
    const refusal = rolled instanceof Promise ? await rolled : rolled;
    if (refusal !== undefined) {
      session.username = '';
      const { code = 530, message = 'login incorrect' } = refusal;
      if (code === 421) return session.refuse(code, message);
      throw new ReplyError(code, message);
    }
    try {
      await session.library.login(session.username, argument);
    } catch {
      session.username = '';
      throw new ReplyError(530, 'login incorrect');
    }
    session.logIn();
    session.reply(230, 'logged in');
  },
};

/** ACCT: nobody has accounts here. */
export const acct: Command = {
  syntax: 'ACCT <account>',
  run: (session) => session.reply(202, 'no account is needed'),
};

/** REIN: back to before the login. */
export const rein: Command = {
  syntax: 'REIN',
  beforeLogin: true,
  run: (session) => {
    session.restartSession();
    session.reply(220, 'ready for a new user');
  },
};

/** QUIT: ends the session. */
export const quit: Command = {
  syntax: 'QUIT',
  beforeLogin: true,
  run: (session) => session.refuse(221, 'goodbye'),
};
