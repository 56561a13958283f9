import type { HostOptions } from '@backlot/core';
import { watchFileLimit } from '../server/file-limit.js';
import { note } from './output.js';

/** Where the lines of a server go. */
export type ServerLog = NonNullable<HostOptions['log']>;

/**
 * Log lines on standard error; the ones that only inform are left out when quiet. That no more files can be opened is
 * one line, however many messages meet it.
 */
export function logLines(isQuiet: boolean): ServerLog {
  const write: ServerLog = ({ level, kind, text, space }) => {
    if (level === 'info' && isQuiet) return;
    const mark = level === 'info' ? '' : `${level === 'warn' ? 'warning' : 'error'}: `;
    const of = space === undefined ? '' : ` (space ${space})`;
    note(`${mark}${kind}${of}: ${text.replaceAll(/\s*\n\s*/g, ' ')}`);
  };
  const isAboutFiles = watchFileLimit((text) => write({ level: 'warn', kind: 'backlot', text }));
  return (line) => {
    if (line.level === 'info' || !isAboutFiles(line.text)) write(line);
  };
}
