import type { Importer } from '@backlot/core/plugin';
import { convertNockCode, isNockCode } from './code.js';
import { convertRecordings, isRecording } from './recordings.js';

/** What nock has recorded, and interceptors that stand in code. */
export const nock: Importer = {
  format: 'nock',
  title: 'nock recordings and interceptors',
  detect: (file) => (isRecording(file) ? 'sure' : isNockCode(file)),
  convert: (file, notes) =>
    file.tree === undefined ? convertNockCode(file, notes) : convertRecordings(file, notes),
};
