import { FACTS } from '../files/format-entry.js';
import type { Command } from './command.js';

/** FEAT: what is there beyond RFC 959 (RFC 2389, section 3). */
export const feat: Command = {
  syntax: 'FEAT',
  beforeLogin: true,
  run: (session) => {
    const { canUpgrade } = session.services;
    const facts = FACTS.map((fact) => `${fact}${session.facts.includes(fact) ? '*' : ''};`).join('');
    session.reply(
      211,
      'Features:',
      ...(canUpgrade ? ['AUTH TLS'] : []),
      'EPRT',
      'EPSV',
      'MDTM',
      'MFMT',
      `MLST ${facts}`,
      'PASV',
      ...(canUpgrade || session.connection.encrypted ? ['PBSZ', 'PROT'] : []),
      'REST STREAM',
      'SIZE',
      'TVFS',
      'UTF8',
      'End',
    );
  },
};
