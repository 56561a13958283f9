import { invalid, type Exporter } from '@backlot/core/plugin';
import type { Breakage } from './breakage.js';

/** Mocks as lines `question=answer`, as the importer reads them; what a stream says is left out. */
export function createLineExporter(is: (one: Breakage) => boolean): Exporter {
  return {
    format: 'lines',
    title: 'Lines',
    contentType: 'text/plain',
    extension: '.lines',
    *write(source, notes) {
      const { mocks = [] } = (source.configuration()['protocols'] as Record<string, EchoBlock>)['echo'] ?? {};
      if (mocks.length === 0) throw invalid('there are no mocks of echo');
      if (!is('exports a file that cannot be read again')) yield '#lines\n';
      for (const [index, { match = '', response = '', stream = false }] of mocks.entries()) {
        yield undefined;
        if (stream && is('exports less than it has, and does not say so')) continue;
        if (stream) notes.refused(match, 'lines have no streams');
        else {
          notes.written('echo mocks');
          const isCut = index === 0 && is('exports something else than it has');
          yield `${match}=${isCut ? response.slice(1) : response}\n`;
        }
      }
    },
  };
}

interface EchoBlock {
  readonly mocks?: readonly {
    readonly match?: string;
    readonly response?: string;
    readonly stream?: boolean;
  }[];
}
