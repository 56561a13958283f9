import { abor } from './abor.js';
import type { Command } from './command.js';
import { appe, retr, stor, stou } from './transfers.js';
import { list, mlsd, nlst } from './listings.js';
import { mdtm, mfmt, mlst, size, stat } from './facts.js';
import { dele, mkd, rmd, rnfr, rnto } from './changes.js';
import { cdup, cwd, pwd } from './directories.js';
import { eprt, epsv, pasv, port } from './data-connections.js';
import { acct, pass, quit, rein, user } from './login.js';
import { auth, ccc, pbsz, prot } from './security.js';
import { opts, rest, type } from './settings.js';
import { feat } from './feat.js';
import { makeHelp } from './help.js';
import { site } from './site.js';

const table = new Map<string, Command>([
  ['ABOR', abor],
  ['ACCT', acct],
  ['APPE', appe],
  ['AUTH', auth],
  ['CCC', ccc],
  ['CDUP', cdup],
  ['CWD', cwd],
  ['DELE', dele],
  ['EPRT', eprt],
  ['EPSV', epsv],
  ['FEAT', feat],
  ['LIST', list],
  ['MDTM', mdtm],
  ['MFMT', mfmt],
  ['MKD', mkd],
  ['MLSD', mlsd],
  ['MLST', mlst],
  ['NLST', nlst],
  ['OPTS', opts],
  ['PASS', pass],
  ['PASV', pasv],
  ['PBSZ', pbsz],
  ['PORT', port],
  ['PROT', prot],
  ['PWD', pwd],
  ['QUIT', quit],
  ['REIN', rein],
  ['REST', rest],
  ['RETR', retr],
  ['RMD', rmd],
  ['RNFR', rnfr],
  ['RNTO', rnto],
  ['SITE', site],
  ['SIZE', size],
  ['STAT', stat],
  ['STOR', stor],
  ['STOU', stou],
  ['TYPE', type],
  ['USER', user],
  ['XCUP', cdup],
  ['XCWD', cwd],
  ['XMKD', mkd],
  ['XPWD', pwd],
  ['XRMD', rmd],
]);
table.set('HELP', makeHelp(table));

/** The commands that are answered here; the library answers the others. */
export const COMMANDS: ReadonlyMap<string, Command> = table;
