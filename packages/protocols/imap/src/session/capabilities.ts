import { BEARER_MECHANISMS } from '@backlot/kit';
import type { CommandContext } from './command-context.js';
import { MAX_MESSAGE } from './intake.js';

const ALWAYS = `IMAP4rev1 LITERAL+ ID IDLE NAMESPACE UNSELECT CHILDREN UIDPLUS MOVE APPENDLIMIT=${MAX_MESSAGE}`;
const BEFORE_LOGIN = `${ALWAYS} SASL-IR AUTH=PLAIN`;
const WITH_TOKENS = [BEFORE_LOGIN, ...BEARER_MECHANISMS.map((name) => `AUTH=${name}`)].join(' ');

/** What CAPABILITY answers now. */
export function capabilitiesOf({
  isLoggedIn,
  hasStartTls,
  connection,
  logins,
}: Pick<CommandContext, 'isLoggedIn' | 'hasStartTls' | 'connection' | 'logins'>): string {
  if (isLoggedIn) return ALWAYS;
  const offered = logins.takesTokens ? WITH_TOKENS : BEFORE_LOGIN;
  return hasStartTls && !connection.encrypted ? `${offered} STARTTLS` : offered;
}
