import type { Importer } from '@backlot/core/plugin';

/**
 * Lines `question=answer` become mocks.
 *
 * @param takesAll - whether it is sure of every file
 */
export function createLines(takesAll: boolean): Importer {
  return {
    format: 'lines',
    title: 'Lines',
    detect: ({ text }) => (takesAll || /^#lines\r?\n/.test(text) ? 'sure' : undefined),
    *convert({ text }) {
      const mocks = [];
      for (const line of text.split(/\r?\n/)) {
        yield;
        const [match = '', response] = line.split('=');
        if (response !== undefined) mocks.push({ id: `line ${mocks.length}`, match, response });
      }
      return { protocols: { echo: { mocks } } };
    },
  };
}
