import type { CommandContext } from './command-context.js';
import { MAX_MESSAGE } from './intake.js';

const ALWAYS = `IMAP4rev1 LITERAL+ ID IDLE NAMESPACE UNSELECT CHILDREN UIDPLUS MOVE APPENDLIMIT=${MAX_MESSAGE}`;
const BEFORE_LOGIN = `${ALWAYS} SASL-IR AUTH=PLAIN`;

/** What CAPABILITY answers now. */
export function capabilitiesOf({
  isLoggedIn,
  hasStartTls,
  connection,
}: Pick<CommandContext, 'isLoggedIn' | 'hasStartTls' | 'connection'>): string {
  if (isLoggedIn) return ALWAYS;
  return hasStartTls && !connection.encrypted ? `${BEFORE_LOGIN} STARTTLS` : BEFORE_LOGIN;
}
